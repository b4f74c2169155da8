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
   * The query with the keys of its markets as `symbol`, and `venue` undefined; null if it is not known to name served ones.
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

  /** Undefined if the pair is not known to be served. `named` is a symbol, or `<symbol>@<venue>`. */
  function keyOf(named: string, ofAll: string): string | undefined {
    const { symbol, venue = ofAll } = readMarket(named);
    if (venue === '') return symbol;
    if (ofAll !== '' && venue !== ofAll) return undefined;
    const key = `${symbol}@${venue}`;
    if (served().includes(key)) return key;
    return venueOf.get(symbol) === venue ? symbol : undefined;
  }

  function known(query: Query): Query | null {
    const { symbol: named, venue = '' } = query;
    if (typeof named !== 'string' || (venue === '' && !named.includes('@'))) return query;
    const keys = named.split(',').map((each) => keyOf(each, String(venue)));
    if (keys.includes(undefined)) return null;
    const symbol = keys.join();
    const before = read.get(query);
    if (before?.['symbol'] === symbol) return before;
    const made = Object.freeze({ ...query, symbol, venue: undefined });
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

function faultOf({ symbol, venue }: Query, venueOf: ReadonlyMap<string, string>): FaultItem {
  const name = venue === undefined || venue === '' ? 'symbol' : 'venue';
  const loc = ['query', name];
  if (symbol === 'ALL') return { loc, msg: 'cannot be combined with ALL: name symbols', type: 'venue_of_all' };
  const served = [...venueOf].map(([key, of]) => `${readMarket(key).symbol} of ${of}`).join(', ');
  return { loc, msg: `${name === 'venue' ? `has no ${String(symbol)}` : 'is not served'}. Served: ${served}`, type: 'not_served' };
}
