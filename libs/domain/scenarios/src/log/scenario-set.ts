import type { MarketEvent } from '@market-state/market-data';
import { placeSegments, type PlannedSegment, type Segment } from '../scenario/segment';
import { MINUTE_MS } from '../scenario/scenario';
import { placeOf, type LogOptions } from './log-options';
import { playSegments } from './play-segments';
import type { ScenarioName } from '../scenario/scenarios';

/**
 * Minutes per scenario, ordered by what depends on history: lasting pressure early, strong flow after weak, volatility
 * last.
 */
const MINUTES: readonly (readonly [ScenarioName, number])[] = [
  ['cold_start', 2],
  ['calm', 34],
  ['flickering_quotes', 14],
  ['balanced', 8],
  ['bid_pressure', 8],
  ['balanced', 10],
  ['bid_absorption', 8],
  ['balanced', 10],
  ['ask_absorption', 8],
  ['balanced', 12],
  ['thinning', 10],
  ['balanced', 12],
  ['sweep', 8],
  ['balanced', 12],
  ['bid_pressure_with_buy_flow', 7],
  ['balanced', 12],
  ['funding_spike', 16],
  ['balanced', 12],
  ['ask_pressure_with_sell_flow', 7],
  ['balanced', 14],
  ['open_interest_surge', 12],
  ['crowding_persists', 24],
  ['liquidation_cascade', 12],
  ['recording_seam', 8],
  ['balanced', 12],
  ['ask_pressure', 8],
  ['balanced', 12],
  ['liquidation_cascade_inferred', 12],
  ['balanced', 12],
  ['context_stale', 8],
  ['venue_silence', 8],
  ['balanced', 10],
  ['book_gap', 8],
  ['trade_gap', 8],
  ['limited_venue', 8],
  ['reconnect', 8],
  ['late_events', 8],
  ['duplicates', 8],
  ['feed_down', 10],
  ['balanced', 14],
  ['volatility_up', 14],
  ['volatility_down', 16],
  ['balanced', 16],
];

const setPlan: readonly PlannedSegment[] = MINUTES.map(([scenario, minutes]) => ({ scenario, lengthMs: minutes * MINUTE_MS }));

interface ScenarioSet {
  readonly symbol: string;
  readonly segments: readonly Segment[];
  /** Lazy; readable once. */
  readonly events: Generator<MarketEvent>;
}

/**
 * Log of all scenarios.
 * @throws RangeError if the seed or the start is out of range
 */
export function scenarioSet(options: LogOptions): ScenarioSet {
  const { seed, symbol, startMs } = placeOf(options);
  const segments = placeSegments(setPlan, startMs);
  return { symbol, segments, events: playSegments({ segments, symbol, seed }) };
}
