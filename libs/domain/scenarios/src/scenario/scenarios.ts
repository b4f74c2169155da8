import { demoScenario } from '../demo-loop';
import { feedScenarios } from './feed-scenarios';
import { ordinaryScenarios, positioningScenarios, pressureScenarios } from './market-scenarios';
import type { Scenario, Expectation } from './scenario';
import { stressScenarios } from './stress-scenarios';

const TABLE = {
  ...ordinaryScenarios,
  ...pressureScenarios,
  ...stressScenarios,
  ...positioningScenarios,
  ...feedScenarios,
  demo: demoScenario,
};

export type ScenarioName = keyof typeof TABLE;

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = TABLE;

export const scenarioNames: readonly { readonly name: ScenarioName; readonly description: string }[] = (
  Object.keys(TABLE) as ScenarioName[]
).map((name) => ({ name, description: scenarios[name].description }));

export class UnknownScenarioError extends Error {
  constructor(readonly scenario: string) {
    super(`Unknown scenario "${scenario}". Known scenarios: ${Object.keys(TABLE).join(', ')}.`);
    this.name = 'UnknownScenarioError';
  }
}

/** @throws UnknownScenarioError */
export function scenarioOf(name: string): Scenario {
  if (!Object.hasOwn(TABLE, name)) throw new UnknownScenarioError(name);
  return scenarios[name as ScenarioName];
}

/** Span of one scenario in a log, epoch milliseconds. Packets with T in (fromMs, toMs] belong to it. */
export interface Segment {
  readonly scenario: ScenarioName;
  readonly fromMs: number;
  readonly toMs: number;
  readonly expects: readonly Expectation[];
}

export interface PlannedSegment {
  readonly scenario: ScenarioName;
  readonly lengthMs: number;
}

export function placeSegments(plan: readonly PlannedSegment[], startMs: number): Segment[] {
  let fromMs = startMs;
  return plan.map(({ scenario, lengthMs }) => {
    const segment = { scenario, fromMs, toMs: fromMs + lengthMs, expects: scenarios[scenario].expects };
    fromMs += lengthMs;
    return segment;
  });
}
