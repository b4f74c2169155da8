export { type Finding, type History } from './condition';
export { LOOK_BACK_WINDOWS, type RecentInputs, recentInputs } from './recent-inputs';
export { rehearse, type RehearsedRule } from './rehearse';
export { checkRule, FEED_CHANNELS, hasSameCondition, RULE_KINDS, RULE_WORDS, type RuleDraft, type RuleFault, type RuleSpec } from './rule';
export { readRuleInput, type RuleInput, SCORE_NAMES, toRuleInput, WINDOW_MS } from './rule-input';
export { type AlertState, NEW_STANDING, readStanding, type Standing } from './standing';
export { endStanding, liveRule, type LiveRule, type Notice, type Step, stepOnPacket, stepOnSilence } from './step';
