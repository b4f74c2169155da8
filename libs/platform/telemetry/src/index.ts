export { createMetrics, type Metrics } from './metrics';
export { startOpsServer, type OpsServer, type Readiness } from './ops-server';
export { extractTrace, injectTrace, insideTrace, openSpan, withSpan, type OpenSpan } from './tracing';
