import { demoScenario } from '../demo-loop';
import { feedScenarios } from './feed-scenarios';
import { ordinaryScenarios, positioningScenarios, pressureScenarios } from './market-scenarios';
import type { Scenario } from './scenario';
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
