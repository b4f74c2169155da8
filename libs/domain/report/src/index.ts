export { renderReport, ReportError } from './render-report';
export type { ReportOptions } from './render-report';
export { sampleOf } from './sample';
export type { ReportSample } from './sample';
export { holesOf, spellsOf } from './spells';
export type { Hole, Spell } from './spells';
export { counts, firstCalibrated, flipsOf, stateShares, transitionMatrix } from './statistics';
export type { Count, FirstCalibrated, Flips, StateShare, TransitionMatrix } from './statistics';
