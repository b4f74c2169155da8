import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { ServedInstrument } from '@market-state/market-data';
import type { Pool } from 'pg';
import { readToldInstruments, type ToldInstrument } from '../store/served-instruments';
import type { MarketTail } from './tail';
import { venueOf, type VenueView } from './venue';

/** The feed tells once, at its start: it may start later than this process, or again with other settings. */
const REFRESH_MS = 2_000;

/** What is known of each symbol's venue, kept up with what the feed tells. */
export interface Venues extends Closable {
  of(symbol: string): VenueView;
}

/** Reads what the feed told again and again until closed; while the database is away the last answer stands. */
export function startVenues(pool: Pool, tail: Pick<MarketTail, 'peek'>, served: readonly ServedInstrument[]): Venues {
  const rows = new Map(served.map(({ symbol, row }) => [symbol, row]));
  let told = new Map<string, ToldInstrument>();

  async function refresh(): Promise<void> {
    const instruments = await readToldInstruments(pool);
    told = new Map(instruments.map((instrument) => [instrument.symbol, instrument]));
  }

  const refreshing = repeatUntilClosed(refresh, { intervalMs: REFRESH_MS, onError: () => undefined });
  return {
    of: (symbol) => venueOf({ market: tail.peek(symbol), told: told.get(symbol), row: rows.get(symbol) }),
    close: () => refreshing.close(),
  };
}
