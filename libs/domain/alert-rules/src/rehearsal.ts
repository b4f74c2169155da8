export { DIRECTIONS, FEED_CHANNELS, isMomentary, RULE_BOUNDS, RULE_KINDS, RULE_TAG, type RuleKind, SCORE_NAMES, WINDOW_MS } from './kinds';
export { LOOK_BACK_WINDOWS } from './condition';
export { FLAP_MS, rehearse, type RehearsedRule, type RehearsedSetting } from './rehearse';
export type { RuleSpec } from './rule';
export type { RuleInput } from './rule-input';
