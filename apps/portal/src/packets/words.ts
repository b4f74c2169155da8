import { type STATE_STYLES, words } from '@market-state/packet-figures';

/** Labels under which packets publish their states; a packet's own label goes first wherever it has one. */
const LABELS: Readonly<Record<keyof typeof STATE_STYLES | 'insufficient_evidence' | 'replay_context_ready', string>> = {
  pressure_building: 'Pressure building',
  depth_watch: 'Depth watch',
  flow_shift_watch: 'Flow shift watch',
  fragile_depth_watch: 'Fragile depth watch',
  crowding_shift: 'Crowding shift',
  crowding_persistent: 'Crowding persistent',
  regime_transition_candidate: 'Regime transition candidate',
  market_state_watch: 'Routine / noise case',
  insufficient_evidence: 'Insufficient evidence',
  replay_context_ready: 'Retained packet context',
};

/** A state for people. */
export function stateLabel(state: string): string {
  return (LABELS as Readonly<Record<string, string>>)[state] ?? sentenceCase(words(state));
}

function sentenceCase(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Composites in the order of every table, with the name that heads their column. */
export const COMPOSITE_NAMES = [
  ['pressure', 'Pressure'],
  ['flow', 'Flow'],
  ['fragility', 'Fragility'],
  ['crowding', 'Crowding'],
  ['forced_flow', 'Forced flow'],
  ['regime', 'Regime'],
] as const;

/** A class of severity without the word that all of them have. */
export function severityWord(severityClass: string): string {
  return words(severityClass.replace(/_context$/, ''));
}
