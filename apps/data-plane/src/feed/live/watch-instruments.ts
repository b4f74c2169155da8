import { type Closable, createCloser, delay, repeatUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type InstrumentRow, type ListedPerpetual, venueOf } from '@market-state/market-data';
import { addCounter, addGauge, type Metrics } from '@market-state/telemetry';
import { listingAnswers } from '@market-state/venues';
import type { FeedConfig } from '../../config';
import type { InstrumentFactStore } from '../../store/instrument-facts';
import { isLive } from './venue-connections';

const READ_EVERY_MS = 3_600_000;
const RETRY_MS = 60_000;

interface WatchDeps {
  readonly config: Pick<FeedConfig, 'served' | 'venueUrls'>;
  readonly store: InstrumentFactStore;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly nowMs: () => number;
  readonly readEveryMs?: number;
}

/**
 * Reads the metadata of every live venue at start and each hour. Facts that changed begin a new row in
 * `instrument_fact`; perpetuals that a venue lists for the first time, and those that it no longer trades, are logged.
 */
export function watchInstruments({ config, store, logger, metrics, nowMs, readEveryMs = READ_EVERY_MS }: WatchDeps): Closable {
  const closer = createCloser();
  closer.add('instrument facts', () => store.close());
  const listedTotal = addGauge(metrics, 'feed_venue_listed_instruments', 'Perpetuals that the venue lists as traded.', ['venue']);
  const changedTotal = addCounter(metrics, 'feed_instrument_changes_total', "Changes of a symbol's facts in its venue's metadata.", [
    'symbol',
  ]);
  const rows = config.served.filter(isLive).map(({ row }) => row);
  const known = new Map<string, ReadonlySet<string>>();

  async function read(venue: string, signal: AbortSignal): Promise<void> {
    const [listing, urls] = [venueOf(venue)?.live?.listing, config.venueUrls[venue]];
    if (listing === undefined || urls === undefined) return;
    // With an answer missing, facts would seem to have changed.
    const requests = listing.requests.map((request) => ({ ...request, isOptional: undefined }));
    const all = listing.read(await listingAnswers(urls.restUrl, requests, signal));
    const traded = new Set(all.filter(({ notTraded }) => notTraded === undefined).map(({ venueInstrument }) => venueInstrument));
    listedTotal.set({ venue }, traded.size);
    report(venue, traded);
    await record(
      rows.filter((row) => row.venue === venue),
      all,
    );
  }

  async function untilRead(venue: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        return await read(venue, signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ venue, err: error }, 'the facts of the instruments cannot be read');
        await delay(RETRY_MS, signal).catch(() => undefined);
      }
    }
  }

  function report(venue: string, traded: ReadonlySet<string>): void {
    const before = known.get(venue);
    known.set(venue, traded);
    if (before === undefined) return;
    const listed = [...traded].filter((name) => !before.has(name));
    const ended = [...before].filter((name) => !traded.has(name));
    if (listed.length > 0) logger.info({ venue, instruments: listed }, 'the venue listed perpetuals');
    if (ended.length > 0) logger.info({ venue, instruments: ended }, 'the venue ended perpetuals');
  }

  async function record(own: readonly InstrumentRow[], all: readonly ListedPerpetual[]): Promise<void> {
    const facts = own.map(({ symbol, venue, venueInstrument }) => {
      return { symbol, venue, venueInstrument, listed: all.find((each) => each.venueInstrument === venueInstrument) };
    });
    for (const symbol of await store.record(facts, nowMs())) {
      changedTotal.inc({ symbol });
      logger.info({ symbol }, 'the facts of the instrument changed');
    }
  }

  for (const venue of new Set(rows.map((row) => row.venue))) {
    const reading = repeatUntilClosed((signal) => untilRead(venue, signal), { intervalMs: readEveryMs, onError: () => undefined });
    closer.add(`facts of ${venue}`, () => reading.close());
  }
  return { close: () => closer.close() };
}
