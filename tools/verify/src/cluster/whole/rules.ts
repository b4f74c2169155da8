/** A rule as a customer orders it. */
interface OrderedRule {
  readonly kind: string;
  readonly params: object;
}

const STATES = ['pressure_building', 'depth_watch', 'market_state_watch', 'flow_shift_watch', 'fragile_depth_watch'];
const CLASSES = [
  'visible_depth_pressure_without_trade_confirmation',
  'balanced_two_sided_context',
  'bid_depth_absorption_against_sell_flow',
  'trade_flow_leading_visible_book',
];
const TAGS = ['pressure:*', 'flow:*'];
const SEVERITIES = [0.3, 0.5];
const CHANGING = ['severity_score', 'queue_fragility_score', 'novelty_score', 'confidence_score'];

/** As many as a watchlist may have, chosen so that on most packets of the bundled recordings one of them fires or recovers. */
export const RULES: readonly OrderedRule[] = [
  { kind: 'state_changed', params: {} },
  ...STATES.map((state) => ({ kind: 'state_is', params: { states: [state] } })),
  ...CLASSES.map((eventClass) => ({ kind: 'event_class_is', params: { event_classes: [eventClass] } })),
  ...TAGS.map((tag) => ({ kind: 'tag_added', params: { tag } })),
  ...SEVERITIES.map((score) => ({ kind: 'severity_at_least', params: { score } })),
  ...CHANGING.map((score) => ({ kind: 'score_change', params: { score, by: 0.05, packets: 1, direction: 'either' } })),
];
