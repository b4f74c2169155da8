import { stat } from 'node:fs/promises';
import { type Closable, createCloser } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import {
  BOOK_VALUES,
  type Comparison,
  nothingCompared,
  type PlayedInstrument,
  RecordedBestPrices,
  venueOf,
} from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import type { Metrics } from '@market-state/telemetry';
import { createVenueAnswers } from '@market-state/venues';
import type { FeedConfig } from '../config';
import { createLiveClock } from '../feed/clock';
import { isLive } from '../feed/live/venue-connections';
import { type RecordingFacts, readLines } from '../feed/recordings';
import { createAuditMetrics, startAudit } from './start-audit';
import type { AuditTarget } from './audit-target';
import { liveTarget } from './live-target';
import { type AuditDeps, booksOf } from './recorded-rows';
import { readRecorded } from '../store/recorded';

const SPAN_MS = 600_000;
/** Newer books are left to the next run. */
const SETTLED_MS = 5_000;
/** Each run reads the whole recording; larger files would take too long. */
const BYTES_MAX = 64 * 1_048_576;

function recordedTarget(deps: AuditDeps, { symbol, venue, venueInstrument }: PlayedInstrument, files: readonly string[]): AuditTarget {
  return {
    symbol,
    venue,
    source: 'recording',
    measures: ['book'],
    async compare(comparedToMs = 0, signal) {
      const { clockMs = 0 } = await readRecorded(deps.pool, symbol);
      const toMs = clockMs - SETTLED_MS;
      const fromMs = Math.max(comparedToMs, toMs - SPAN_MS);
      if (fromMs >= toMs) return [];
      const books = await booksOf(deps, symbol, { fromMs, toMs });
      if (books.length === 0) return [];
      return [{ measure: 'book', fromMs, toMs, comparison: await compareWith(files) }];

      async function compareWith(paths: readonly string[]): Promise<Comparison> {
        const values = books.length * BOOK_VALUES;
        if (venueOf(venue)?.hasBestPrices !== true) return nothingCompared(values, 'no_best_prices');
        const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
        if (sizes.reduce((sum, size) => sum + size, 0) > BYTES_MAX) return nothingCompared(values, 'recording_too_long');
        const prices = new RecordedBestPrices(venueInstrument, books);
        for (const path of paths) {
          for await (const lines of readLines(path)) {
            signal.throwIfAborted();
            for (const line of lines) prices.accept(line);
            if (prices.isDone) return prices.finish();
          }
        }
        return prices.finish();
      }
    },
  };
}

interface FeedAuditDeps {
  readonly config: FeedConfig;
  readonly recordings: readonly RecordingFacts[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly isPlaying: (symbol: string) => boolean;
}

export function startFeedAudit({ config, recordings, logger, metrics, isPlaying }: FeedAuditDeps): Closable {
  const closer = createCloser();
  const pool = createPool({ url: config.DATABASE_URL, logger, applicationName: 'data-plane-feed-audit', max: 2 });
  closer.add('pool', () => pool.end());
  const deps = { pool, clock: createLiveClock() };
  const targets = [...liveTargets(deps, config), ...recordings.map((facts) => targetOf(deps, facts, config))];
  const audit = startAudit({ ...deps, logger, metrics: createAuditMetrics(metrics), isPlaying }, targets);
  closer.add('audit', () => audit.close());
  return { close: () => closer.close() };
}

function liveTargets(deps: AuditDeps, { served, venueUrls }: FeedConfig): AuditTarget[] {
  return served.filter(isLive).flatMap(({ row }) => {
    const urls = venueUrls[row.venue];
    return urls === undefined ? [] : [liveTarget({ ...deps, row, answers: createVenueAnswers(row.venue, urls.restUrl) })];
  });
}

function targetOf(deps: AuditDeps, { instrument }: RecordingFacts, config: FeedConfig): AuditTarget {
  return recordedTarget(deps, instrument, config.recordings[instrument.symbol] ?? []);
}
