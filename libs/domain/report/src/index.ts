export { renderReport, ReportError } from './render-report';
export { StabilityError, StabilityTally } from './stability/stability-tally';
export type { Stability } from './stability/stability-tally';
