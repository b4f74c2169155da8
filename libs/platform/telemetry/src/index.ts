export { addCounter, addGauge, createMetrics, type Metrics } from './metrics';
export { type FillingProgress, fillingProgress, startOpsServer, type OpsServer, type Readiness } from './ops-server';
