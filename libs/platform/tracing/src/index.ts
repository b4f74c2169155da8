export { extractTrace, injectTrace, insideTrace, openSpan, type OpenSpan, recordSampled, type SpanAttributes, withSpan } from './spans';
export { currentTraceId } from './current-trace';
export { openTracing, type OpenTracing } from './open-tracing';
