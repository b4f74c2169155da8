import { type Closable, delay } from '@market-state/lifecycle';
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
  const stop = new AbortController();
  const rows = new Map(served.map(({ symbol, row }) => [symbol, row]));
  let told = new Map<string, ToldInstrument>();

  async function keepUp(): Promise<void> {
    while (!stop.signal.aborted) {
      await readToldInstruments(pool).then(
        (instruments) => (told = new Map(instruments.map((instrument) => [instrument.symbol, instrument]))),
        () => undefined,
      );
      await delay(REFRESH_MS, stop.signal).catch(() => undefined);
    }
  }

  const running = keepUp();
  return {
    of: (symbol) => venueOf({ market: tail.peek(symbol), told: told.get(symbol), row: rows.get(symbol) }),
    async close() {
      stop.abort();
      await running;
    },
  };
}
