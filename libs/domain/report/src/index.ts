export { renderReport, ReportError } from './render-report';
export { sampleOf } from './sample';
export type { ReportSample } from './sample';
export { WindowVolumes } from './window-volumes';
export { StabilityError, StabilityTally } from './stability/stability-tally';
export type { Stability } from './stability/stability-tally';
