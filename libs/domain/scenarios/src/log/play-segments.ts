import type { MarketEvent } from '@market-state/market-data';
import { CLOSING_LAG_MS, simulatedInstrument } from '../market/instrument';
import type { PlacedFault } from '../feed/fault';
import { Feed } from '../feed/feed';
import { ORDINARY, type MarketConditions, STEP_MS } from '../market/conditions';
import { Market } from '../market/market';
import { scenarios } from '../scenario/scenarios';
import type { Segment } from '../scenario/segment';

interface LogInput {
  readonly segments: readonly Segment[];
  readonly symbol: string;
  readonly seed: number;
}

/** Steps of 250 ms, each ending with a tick. Continues for the closing lag, so that the last window closes. */
export function* playSegments({ segments, symbol, seed }: LogInput): Generator<MarketEvent> {
  const first = segments[0];
  if (first === undefined) return;
  const market = new Market(simulatedInstrument(symbol), seed, conditionsAt(first, first.fromMs));
  const feed = new Feed(symbol, seed);
  yield feed.connect(first.fromMs);
  for (const segment of segments) {
    const stopMs = segment === segments.at(-1) ? segment.toMs + CLOSING_LAG_MS : segment.toMs;
    yield* playSegment(segment, stopMs, market, feed);
  }
}

function* playSegment(segment: Segment, stopMs: number, market: Market, feed: Feed): Generator<MarketEvent> {
  const faults = faultsOf(segment);
  for (let clockMs = segment.fromMs; clockMs < stopMs; clockMs += STEP_MS) {
    const conditions = conditionsAt(segment, clockMs);
    if (faults.some((fault) => fault.kind === 'seam' && fault.endMs === clockMs)) market.reopen(conditions);
    feed.take(market.step(clockMs, conditions), faults);
    yield* feed.entriesUntil(clockMs + STEP_MS, faults);
  }
}

function conditionsAt({ scenario, fromMs }: Segment, clockMs: number): MarketConditions {
  return { ...ORDINARY, ...scenarios[scenario].conditions(clockMs - fromMs) };
}

function faultsOf({ scenario, fromMs, toMs }: Segment): PlacedFault[] {
  return (scenarios[scenario].faults ?? [])
    .map((fault) => ({ ...fault, startMs: fromMs + fault.fromMs, endMs: Math.min(toMs, fromMs + fault.toMs) }))
    .filter((fault) => fault.startMs < toMs);
}
