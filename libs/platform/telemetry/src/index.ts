export { createMetrics, type Metrics } from './metrics';
export { startOpsServer, type OpsServer, type OpsServerOptions, type Readiness } from './ops-server';
export { extractTrace, injectTrace, insideTrace, openSpan, withSpan, type OpenSpan, type SpanOptions, type SpanRole } from './tracing';
