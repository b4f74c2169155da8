import type { BookLevel, MarketEvent } from '@market-state/market-data';

interface SyntheticLogOptions {
  readonly symbol: string;
  readonly seconds: number;
  /** Changes every price, size and side. */
  readonly seed: number;
  /** Interval of books and ticks; default 250. */
  readonly stepMs?: number;
  readonly startMs?: number;
}

/** Uniform in [0, 1), deterministic per seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Feed-like log: `connected`, then ticks and books at every step and a trade at every other, ordinals from 1. */
export function syntheticLog({ symbol, seconds, seed, stepMs = 250, startMs = 1_700_000_000_000 }: SyntheticLogOptions): MarketEvent[] {
  const random = seededRandom(seed);
  const events: MarketEvent[] = [];
  const envelope = (atMs: number, venueId: string) => ({
    venue: 'binance-coinm',
    symbol,
    pass: 1,
    venueId,
    exchangeTsMs: atMs,
    exchangeTsIsReceiveTime: false,
    receivedTsMs: atMs + 50,
    ordinal: events.length + 1,
    epoch: 1,
  });
  events.push({
    kind: 'feed_status',
    ...envelope(startMs, 'connected'),
    status: {
      type: 'connected',
      channels: ['book', 'trade'],
      bookStalenessMs: 5_000,
      tradeStalenessMs: 60_000,
      contextStalenessMs: 120_000,
      closingLagMs: 1_000,
      sourceKind: 'recorded',
    },
  });
  let mid = 30_000;
  for (let atMs = startMs + stepMs; atMs <= startMs + seconds * 1_000; atMs += stepMs) {
    mid += (random() - 0.5) * 20;
    events.push({ kind: 'book', ...envelope(atMs - 100, String(atMs)), bids: levels(mid, -1, random), asks: levels(mid, 1, random) });
    if (random() < 0.5) {
      const side = random() < 0.5 ? 'buy' : 'sell';
      const size = (0.01 + random()).toFixed(4).replace(/0+$/, '');
      events.push({
        kind: 'trade',
        ...envelope(atMs - 60, String(atMs)),
        price: mid.toFixed(1).replace(/\.0$/, ''),
        size,
        aggressorSide: side,
      });
    }
    events.push({ kind: 'tick', ...envelope(atMs, ''), feedClockMs: atMs });
  }
  return events;
}

function levels(mid: number, direction: -1 | 1, random: () => number): BookLevel[] {
  return Array.from({ length: 25 }, (_, index) => ({
    price: (Math.round(mid) + direction * (index + 1)).toString(),
    size: (0.1 + random() * 3).toFixed(3).replace(/0+$/, ''),
  }));
}
