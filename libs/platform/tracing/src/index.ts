export { openTracing, type OpenTracing } from './open-tracing';
export {
  currentTraceId,
  extractTrace,
  injectTrace,
  insideTrace,
  openSpan,
  type OpenSpan,
  recordSampled,
  type SpanAttributes,
  withSpan,
} from './spans';
