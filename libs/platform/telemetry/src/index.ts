export { createMetrics, type Metrics } from './metrics';
export { startOpsServer, type OpsServer, type Readiness } from './ops-server';
