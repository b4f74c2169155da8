import type { Expectation } from './scenario';
import { scenarios, type ScenarioName } from './scenarios';

/** One scenario's time in a log. Times are milliseconds since the epoch; packets whose T lies in (fromMs, toMs] belong to it. */
export interface Segment {
  readonly scenario: ScenarioName;
  readonly fromMs: number;
  readonly toMs: number;
  readonly expects: readonly Expectation[];
}

/** A scenario, and how long it is played. */
export interface PlannedSegment {
  readonly scenario: ScenarioName;
  readonly lengthMs: number;
}

/** The plan on the clock, one segment after another. */
export function placeSegments(plan: readonly PlannedSegment[], startMs: number): Segment[] {
  let fromMs = startMs;
  return plan.map(({ scenario, lengthMs }) => {
    const segment = { scenario, fromMs, toMs: fromMs + lengthMs, expects: scenarios[scenario].expects };
    fromMs += lengthMs;
    return segment;
  });
}
