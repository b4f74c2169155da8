import { readMarket } from '@market-state/market-data';
import type { FaultItem } from '../errors/problem';

/** Services know a market by one key: its symbol at the primary venue, else `<symbol>@<venue>`. */
type Query = Readonly<Record<string, unknown>>;

interface ServedVenue {
  /** Key of the market. */
  readonly symbol: string;
  readonly venue: string;
}

/** Query or body with the keys of its markets, as far as they are served. */
interface Named<Value> {
  readonly value: Value;
  readonly faults: readonly FaultItem[];
}

export interface MarketNames {
  /**
   * The query with the keys of its markets as `symbol`, and `venue` undefined; null if it is not known to name served ones.
   * The same query gives the same object.
   */
  known(query: Query): Query | null;
  /** Like `known`, with a fault in place of null. Rejects as `venues` does. */
  readQuery(query: Query): Promise<Named<Query>>;
  /** The body with the keys of its markets: `symbol`, the items of `symbols`, and those of a stored `query`. */
  readBody(body: unknown): Promise<Named<unknown>>;
}

interface MarketNamesDeps {
  /** Keys; may be incomplete. */
  served(): readonly string[];
  /** Asked only for calls that name a venue, and again only for one that is new. */
  venues(): Promise<readonly ServedVenue[]>;
}

/** Symbol of a query that names none. */
const USUAL_SYMBOL = 'BTCUSD-PERP';

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

  function knownBody(body: unknown): Named<unknown> {
    if (!isRecord(body)) return { value: body, faults: [] };
    const faults: FaultItem[] = [];
    const named = (value: unknown, ...place: readonly (string | number)[]): unknown => {
      if (typeof value !== 'string' || !value.includes('@')) return value;
      const key = keyOf(value, '');
      if (key === undefined) faults.push(notServed(['body', ...place], 'is not served', venueOf));
      return key ?? value;
    };
    const stored = (query: Query): Query => {
      const whole = query['venue'] === undefined ? query : { symbol: USUAL_SYMBOL, ...query };
      const made = known(whole);
      if (made !== null) return Object.fromEntries(Object.entries(made).filter(([name]) => name !== 'venue'));
      const fault = faultOf(whole, venueOf);
      faults.push({ ...fault, loc: ['body', ...fault.loc] });
      return query;
    };
    const fields = Object.entries(body).map(([name, value]) => {
      if (name === 'symbol') return [name, named(value, name)];
      if (name === 'symbols' && Array.isArray(value)) return [name, value.map((each, index) => named(each, name, index))];
      return [name, name === 'query' && isRecord(value) ? stored(value) : value];
    });
    return { value: Object.fromEntries(fields), faults };
  }

  async function learnVenues(): Promise<void> {
    for (const { symbol, venue } of await venues()) venueOf.set(symbol, venue);
  }

  return {
    known,
    async readQuery(query) {
      const first = known(query);
      if (first !== null) return { value: first, faults: [] };
      await learnVenues();
      const second = known(query);
      return second === null ? { value: query, faults: [faultOf(query, venueOf)] } : { value: second, faults: [] };
    },
    async readBody(body) {
      const first = knownBody(body);
      if (first.faults.length === 0) return first;
      await learnVenues();
      return knownBody(body);
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function faultOf({ symbol, venue }: Query, venueOf: ReadonlyMap<string, string>): FaultItem {
  if (venue === undefined || venue === '') return notServed(['query', 'symbol'], 'is not served', venueOf);
  const loc = ['query', 'venue'];
  if (symbol === 'ALL') return { loc, msg: 'cannot be combined with ALL: name symbols', type: 'venue_of_all' };
  return notServed(loc, `has no ${String(symbol)}`, venueOf);
}

function notServed(loc: FaultItem['loc'], text: string, venueOf: ReadonlyMap<string, string>): FaultItem {
  const served = [...venueOf].map(([key, of]) => `${readMarket(key).symbol} of ${of}`).join(', ');
  return { loc, msg: `${text}. Served: ${served}`, type: 'not_served' };
}
