import type { Expectation } from './scenario';
import { scenarios, type ScenarioName } from './scenarios';

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
