export { badgeChart } from './badge';
export { confidenceChart, eventClassChart } from './charts/mark-rows';
export { currentMid, priceChart, volumeChart } from './charts/market-figures';
export { contestChart, scoreChart, sourceSentence, severityChart } from './charts/score-figures';
export { createFrame, drawChart, WIDTH } from './charts/frame';
export type { Frame } from './charts/frame';
export { bulletOf } from './bullet';
export type { ScoreReading } from './bullet';
export { COMPOSITES, sampleOf, WindowVolumes } from './sample';
export type { Composite, ReportSample } from './sample';
export { GAP_LABELS, missingSpansOf, RETAINED_STATES, stateRunsOf, stripOf } from './state-runs';
export type { MissingSpan, StateRun, StateReading } from './state-runs';
export { counts, firstCalibrated, flipsOf, stateChanges, stateShares } from './statistics';
export type { Count } from './statistics';
export {
  MARK_OPACITY,
  markInk,
  markTile,
  paletteDeclarations,
  SIDE_HUES,
  sideOf,
  STATE_STYLES,
  stateColor,
  stateRules,
  stateStyle,
  stateWord,
  TILE,
} from './palette';
export type { Side, Theme } from './palette';
export { escape, words, counted, duration, percent, price, quantity, utc } from './text';
