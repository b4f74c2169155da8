/** A read whose cost is measured. */
export interface GrowthRead {
  readonly name: string;
  /** Addresses that are asked in turn, each for one request. */
  readonly addresses: readonly string[];
  /** Each address is asked once, so that nothing kept answers. */
  readonly once: boolean;
}

const BASE = '/api/public';

/** A word of a state. */
const WORD = 'pressure';

/** The reads, about these symbols in turn and about these events, each once. */
export function growthReads(symbols: readonly string[], eventIds: readonly string[]): readonly GrowthRead[] {
  const of = (name: string, path: string): GrowthRead => ({
    name,
    addresses: symbols.map((symbol) => `${BASE}/${path}${path.includes('?') ? '&' : '?'}symbol=${symbol}`),
    once: false,
  });
  return [
    of('latest', 'market-state/latest'),
    { name: 'latest of all, compact', addresses: [`${BASE}/market-state/latest?symbol=ALL&view=compact`], once: false },
    of('book', 'data/book/l2/latest'),
    of('candles', 'data/candles'),
    of('freshness', 'data/status/freshness'),
    of('gaps', 'data/gaps'),
    of('history (60)', 'market-state/history?limit=60'),
    of('replay (10)', 'market-state/replay?limit=10'),
    { name: 'search, all (10)', addresses: [`${BASE}/market-state/events/search?limit=10&symbol=ALL`], once: false },
    of('search by a word (10)', `market-state/events/search?limit=10&q=${WORD}`),
    { name: 'evidence, new each', addresses: eventIds.map((id) => `${BASE}/market-state/events/${id}/evidence`), once: true },
  ];
}
