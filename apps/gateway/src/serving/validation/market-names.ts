import { readMarket } from '@market-state/market-data';
import type { FaultItem } from '../errors/problem';

/** Services know a market by one key: its symbol at the primary venue, else `<symbol>@<venue>`. */
type Query = Readonly<Record<string, unknown>>;

interface ServedVenue {
  /** Key of the market. */
  readonly symbol: string;
  readonly venue: string;
}

export interface MarketNames {
  /**
   * The query with the keys of its markets as `symbol` and without `venue`; null if it is not known to name served ones.
   * The same query gives the same object.
   */
  known(query: Query): Query | null;
  /** Like `known`, with a fault in place of null. Rejects as `venues` does. */
  read(query: Query): Promise<{ readonly query: Query } | { readonly fault: FaultItem }>;
}

interface MarketNamesDeps {
  /** Keys; may be incomplete. */
  served(): readonly string[];
  /** Asked only for calls that name a venue, and again only for one that is new. */
  venues(): Promise<readonly ServedVenue[]>;
}

export function createMarketNames({ served, venues }: MarketNamesDeps): MarketNames {
  const venueOf = new Map<string, string>();
  const read = new WeakMap<Query, Query>();

  /** Undefined if the pair is not known to be served. */
  function keyOf(symbol: string, venue: string): string | undefined {
    const named = readMarket(symbol);
    if (named.venue !== undefined) return named.venue === venue ? symbol : undefined;
    const key = `${symbol}@${venue}`;
    if (served().includes(key)) return key;
    return venueOf.get(symbol) === venue ? symbol : undefined;
  }

  function known(query: Query): Query | null {
    const { venue, ...others } = query;
    if (typeof venue !== 'string' || venue === '') return query;
    const keys = String(others['symbol'])
      .split(',')
      .map((symbol) => keyOf(symbol, venue));
    if (keys.includes(undefined)) return null;
    const symbol = keys.join();
    const before = read.get(query);
    if (before?.['symbol'] === symbol) return before;
    const made = Object.freeze({ ...others, symbol });
    read.set(query, made);
    return made;
  }

  return {
    known,
    async read(query) {
      const first = known(query);
      if (first !== null) return { query: first };
      for (const { symbol, venue } of await venues()) venueOf.set(symbol, venue);
      const second = known(query);
      return second === null ? { fault: faultOf(query, venueOf) } : { query: second };
    },
  };
}

function faultOf({ symbol }: Query, venueOf: ReadonlyMap<string, string>): FaultItem {
  const loc = ['query', 'venue'];
  if (symbol === 'ALL') return { loc, msg: 'cannot be combined with ALL: name symbols', type: 'venue_of_all' };
  const served = [...venueOf].map(([key, of]) => `${readMarket(key).symbol} of ${of}`);
  return { loc, msg: `has no ${String(symbol)}. Served: ${served.join(', ')}`, type: 'not_served' };
}
