/**
 * Colours by meaning, as CSS variables of the page: book pressure blue, trade flow orange, fragile depth red, crowding green, regime
 * purple, the routine floor and retained context grey. Related states share a hue.
 */
const STATE_COLORS: Readonly<Record<string, string>> = {
  pressure_building: 'var(--pressure)',
  depth_watch: 'var(--depth)',
  flow_shift_watch: 'var(--flow)',
  fragile_depth_watch: 'var(--fragile)',
  crowding_shift: 'var(--crowding-shift)',
  crowding_persistent: 'var(--crowding)',
  regime_transition_candidate: 'var(--regime)',
  market_state_watch: 'var(--routine)',
  replay_context_ready: 'var(--hole)',
  insufficient_evidence: 'var(--hole)',
};

/** Fill of a published state. */
export function stateColor(state: string): string {
  return STATE_COLORS[state] ?? 'var(--routine)';
}

const SIDE_COLORS = { bid: 'var(--bid)', ask: 'var(--ask)', none: 'var(--ink-soft)' } as const;
export type Side = keyof typeof SIDE_COLORS;

/** The side that a class leans to, or its direction where the class names none: `bid` with bids or buyers, `ask` with asks or sellers. */
export function sideOf(eventClass: string, direction: string): Side {
  const leaning = /^(bid|ask)_/.test(eventClass) ? eventClass : direction;
  if (/^(bid|aggressive_buy)_/.test(leaning)) return 'bid';
  return /^(ask|aggressive_sell)_/.test(leaning) ? 'ask' : 'none';
}

/** Fill of a mark that leans to a side. */
export function sideColor(side: Side): string {
  return SIDE_COLORS[side];
}
