export { scenarioNames, UnknownScenarioError } from './scenario/scenarios';
export type { ScenarioName } from './scenario/scenarios';
export type { Expectation, PacketAspect, SegmentSpan } from './scenario/expectation';
export { scenarioEvents } from './log/scenario-events';
export { scenarioSet } from './log/scenario-set';
export type { ScenarioSet } from './log/scenario-set';
