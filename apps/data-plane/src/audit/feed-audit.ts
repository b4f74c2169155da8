import { stat } from 'node:fs/promises';
import { type Closable, createCloser, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import {
  BOOK_VALUES,
  type Comparison,
  nothingCompared,
  type PlayedInstrument,
  RecordedBestPrices,
  venueOf,
  type AuditMeasure,
} from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import type { Metrics } from '@market-state/telemetry';
import { createVenueAnswers } from '@market-state/venues';
import { Counter, Gauge } from 'prom-client';
import type { FeedConfig } from '../config';
import { createLiveClock } from '../feed/clock';
import { isLive } from '../feed/live/venue-connections';
import { type RecordingFacts, readLines } from '../feed/recordings';
import type { AuditTarget } from './audit-target';
import { liveTarget } from './live-target';
import { type AuditDeps, booksOf } from './recorded-rows';
import { readRecorded } from '../store/recorded';
import { keepRun, readLastRun } from '../store/audit-results';

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

const RESULTS = ['equal', 'differs', 'not_compared'] as const;

interface AuditMetrics {
  begins(symbol: string, measures: readonly AuditMeasure[], nowMs: number): void;
  ran(symbol: string, runMs: number): void;
  compared(symbol: string, measure: AuditMeasure, comparison: Comparison): void;
}

function createAuditMetrics({ registry }: Metrics): AuditMetrics {
  const registers = [registry];
  const values = new Counter({
    name: 'feed_audit_values_total',
    help: 'Recorded values compared with the venue, by result: equal, differs or not_compared.',
    labelNames: ['symbol', 'measure', 'result'],
    registers,
  });
  const differs = new Gauge({
    name: 'feed_audit_differs',
    help: '1 while the newest comparison with the venue has a difference.',
    labelNames: ['symbol', 'measure'],
    registers,
  });
  const lastRun = new Gauge({
    name: 'feed_audit_timestamp_seconds',
    help: 'When recorded values were last compared with the venue (initially when the feed started), Unix time.',
    labelNames: ['symbol'],
    registers,
  });
  const ran = (symbol: string, atMs: number): void => lastRun.set({ symbol }, atMs / 1_000);
  return {
    begins(symbol, measures, nowMs) {
      ran(symbol, nowMs);
      for (const measure of measures) {
        differs.set({ symbol, measure }, 0);
        for (const result of RESULTS) values.inc({ symbol, measure, result }, 0);
      }
    },
    ran,
    compared(symbol, measure, { comparedTotal, equalTotal, notComparedTotal }) {
      values.inc({ symbol, measure, result: 'equal' }, equalTotal);
      values.inc({ symbol, measure, result: 'differs' }, comparedTotal - equalTotal);
      values.inc({ symbol, measure, result: 'not_compared' }, notComparedTotal);
      if (comparedTotal > 0) differs.set({ symbol, measure }, equalTotal === comparedTotal ? 0 : 1);
    },
  };
}

const EVERY_MS = 600_000;
/** Allows some complete minutes to be recorded first. */
const FIRST_MS = 180_000;

interface AuditRunDeps extends AuditDeps {
  readonly logger: Logger;
  readonly metrics: AuditMetrics;
  readonly isPlaying: (symbol: string) => boolean;
}

/** One symbol at a time, until closed. Read-only; failures wait for the next run. */
function startAudit(deps: AuditRunDeps, targets: readonly AuditTarget[]): Closable {
  const { clock, logger } = deps;
  for (const { symbol, measures } of targets) deps.metrics.begins(symbol, measures, clock.nowMs());
  return runUntilClosed(async (signal) => {
    try {
      // Runs missed by a slow run or a suspended machine are skipped.
      for (let nextMs = clock.nowMs() + FIRST_MS; ; nextMs = Math.max(nextMs + EVERY_MS, clock.nowMs())) {
        await clock.waitUntil(nextMs, signal);
        for (const target of targets) {
          await auditOnce(deps, target, signal).catch((error: unknown) => {
            signal.throwIfAborted();
            logger.error({ symbol: target.symbol, err: error }, 'comparison with the venue failed');
          });
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

/** Skips symbols that another feed plays. Rejects while the store is unavailable. */
export async function auditOnce(deps: AuditRunDeps, target: AuditTarget, signal: AbortSignal): Promise<void> {
  const { pool, clock, logger, metrics, isPlaying } = deps;
  const { symbol } = target;
  if (!isPlaying(symbol)) return;
  const runMs = clock.nowMs();
  const last = await readLastRun(pool, symbol);
  const found = await target.compare(last?.toMs[target.source === 'venue' ? 'candles' : 'book'], signal);
  await keepRun(pool, target, runMs, found);
  if (found.some(({ comparison }) => comparison.comparedTotal > 0)) metrics.ran(symbol, runMs);
  for (const { measure, comparison } of found) {
    metrics.compared(symbol, measure, comparison);
    if (comparison.largest !== undefined)
      logger.warn({ symbol, measure, ...comparison.largest }, 'a recorded value differs from the venue');
  }
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
