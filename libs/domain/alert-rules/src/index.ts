export { LOOK_BACK_WINDOWS, type RecentInputs, recentInputs } from './recent-inputs';
export { rehearse, type RehearsedRule } from './rehearse';
export { checkRule, hasSameCondition, type RuleSpec } from './rule';
export { readRuleInput, type RuleInput, toRuleInput } from './rule-input';
export { readStanding } from './read-standing';
export { type AlertState, NEW_STANDING, type Standing } from './standing';
export { endStanding, liveRule, type LiveRule, type Notice, type Step, stepOnHole, stepOnPacket, stepOnSilence } from './step';
export { WINDOW_MS } from './window';
