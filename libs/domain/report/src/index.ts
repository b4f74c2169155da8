export { renderReport, ReportError } from './render-report';
export { StabilityError, StabilityTally } from './stability-tally';
export type { Stability } from './stability-tally';
export type { Estimate } from './validity/bootstrap';
export { storedValidity } from './validity/stored-validity';
export type { StoredLabel, StoredValidity } from './validity/stored-validity';
export type { SeverityValidity } from './validity/severity-validity';
export type { StateLift } from './validity/state-validity';
export type { Validity } from './validity/validity-tally';
