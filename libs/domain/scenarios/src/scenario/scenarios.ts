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

/** A scenario of the table. */
export type ScenarioName = keyof typeof TABLE;

/** Every scenario by name. */
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = TABLE;

/** Every scenario with one sentence on what it plays. */
export const scenarioNames: readonly { readonly name: ScenarioName; readonly description: string }[] = (
  Object.keys(TABLE) as ScenarioName[]
).map((name) => ({ name, description: scenarios[name].description }));

/** A scenario was asked for that does not exist. The message names those that do. */
export class UnknownScenarioError extends Error {
  constructor(readonly scenario: string) {
    super(`There is no scenario "${scenario}". Known are: ${Object.keys(TABLE).join(', ')}.`);
    this.name = 'UnknownScenarioError';
  }
}

/** @throws UnknownScenarioError */
export function scenarioOf(name: string): Scenario {
  if (!Object.hasOwn(TABLE, name)) throw new UnknownScenarioError(name);
  return scenarios[name as ScenarioName];
}
