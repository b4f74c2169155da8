import type { Fault } from '../feed/fault';
import type { MarketConditions } from '../market/conditions';
import type { Expectation } from './expectation';

/** Conditions that differ from the ordinary ones. */
export type ConditionsChange = Partial<MarketConditions>;

/** One kind of market or feed, told by what it changes over time. */
export interface Scenario {
  /** One sentence. */
  readonly description: string;
  /** Length of one episode, milliseconds: a multiple of 10,000. */
  readonly episodeMs: number;
  /** What differs from the ordinary market `atMs` milliseconds after the episode's start. */
  readonly conditions: (atMs: number) => ConditionsChange;
  readonly faults?: readonly Fault[];
  /** What packets made of an episode are expected to show. */
  readonly expects: readonly Expectation[];
}

export const MINUTE_MS = 60_000;
export const SECOND_MS = 1_000;

/** From `before` at `fromMs` in a straight line to `after` at `toMs`. */
export function ramp(atMs: number, fromMs: number, toMs: number, before: number, after: number): number {
  const done = Math.min(1, Math.max(0, (atMs - fromMs) / (toMs - fromMs)));
  return before + (after - before) * done;
}
