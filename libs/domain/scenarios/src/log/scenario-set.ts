import type { MarketEvent } from '@market-state/market-data';
import { placeSegments, type Segment } from '../scenario/segment';
import { placeOf, type LogOptions } from './log-options';
import { playSegments } from './play-segments';
import { setPlan } from './set-plan';

/** One continuous log of eight hours, and where each scenario lies in it. */
export interface ScenarioSet {
  readonly symbol: string;
  readonly segments: readonly Segment[];
  /** Lazy; may be read once. */
  readonly events: Generator<MarketEvent>;
}

/**
 * Every scenario in one log of eight hours.
 * @throws RangeError when the seed or the start is out of range
 */
export function scenarioSet(options: LogOptions): ScenarioSet {
  const { seed, symbol, startMs } = placeOf(options);
  const segments = placeSegments(setPlan, startMs);
  return { symbol, segments, events: playSegments({ segments, symbol, seed }) };
}
