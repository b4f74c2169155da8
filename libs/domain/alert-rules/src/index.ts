export { WINDOW_MS } from './kinds';
export { LOOK_BACK_WINDOWS, type RecentInputs, recentInputs } from './condition';
export { rehearse, type RehearsedRule } from './rehearse';
export { checkRule, hasSameCondition, type RuleSpec } from './rule';
export { readRuleInput, readRuleState, type RuleInput, toRuleInput } from './rule-input';
export { type AlertState, NEW_RULE_STATE, type RuleState } from './rule-state';
export { endRuleEpisode, liveRule, type LiveRule, type Notice, type Step, stepOnMissing, stepOnPacket, stepOnSilence } from './step';
