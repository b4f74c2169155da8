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
  AUDIT_MEASURES,
  CANDLE_VALUES,
  compareBook,
  compareCandles,
  compareContext,
  type InstrumentRow,
  venueAnswersOf,
  MINUTE_MS,
} from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import { addCounter, addGauge, type Metrics } from '@market-state/telemetry';
import { createVenueAnswers, type VenueAnswers, VenueError } from '@market-state/venues';
import type { FeedConfig } from '../config';
import { createLiveClock } from '../feed/clock';
import { isLive } from '../feed/live/venue-connections';
import { type RecordingFacts, readLines } from '../feed/recordings';
import type { AuditTarget, Measured } from './audit-target';
import { readRecorded } from '../store/recorded';
import { keepRun, readLastRun } from '../store/audit-results';
import { type AuditDeps, booksOf, minutesOf, untilRecorded, contextsOf, missingOf, type Span } from './recorded-rows';

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

type AuditMetrics = ReturnType<typeof createAuditMetrics>;

function createAuditMetrics(metrics: Metrics) {
  const values = addCounter(
    metrics,
    'feed_audit_values_total',
    'Recorded values compared with the venue, by result: equal, differs or not_compared.',
    ['symbol', 'measure', 'result'],
  );
  const differs = addGauge(metrics, 'feed_audit_differs', '1 while the newest comparison with the venue has a difference.', [
    'symbol',
    'measure',
  ]);
  const lastRun = addGauge(
    metrics,
    'feed_audit_timestamp_seconds',
    'When recorded values were last compared with the venue (initially when the feed started), Unix time.',
    ['symbol'],
  );
  const ran = (symbol: string, atMs: number): void => lastRun.set({ symbol }, atMs / 1_000);
  return {
    begins(symbol: string, measures: readonly AuditMeasure[], nowMs: number) {
      ran(symbol, nowMs);
      for (const measure of measures) {
        differs.set({ symbol, measure }, 0);
        for (const result of RESULTS) values.inc({ symbol, measure, result }, 0);
      }
    },
    ran,
    compared(symbol: string, measure: AuditMeasure, { comparedTotal, equalTotal, notComparedTotal }: Comparison) {
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

/** Delay after a minute, in which missing trades become a gap. */
const MINUTE_SETTLED_MS = 60_000;
const MINUTES_MAX = 60;
const FIRST_MINUTES = 10;
/** Maximum interval of prices and rates; books and trades follow within the closing lag. */
const NEXT_MESSAGE_MS = 5_000;
const AROUND_MS = 10_000;
/** A value counts as different only if every attempt of the run agrees. */
const LOOKS_MAX = 3;

interface LiveDeps extends AuditDeps {
  readonly row: InstrumentRow;
  readonly answers: VenueAnswers;
}

export function liveTarget(deps: LiveDeps): AuditTarget {
  const { row } = deps;
  return {
    symbol: row.symbol,
    venue: row.venue,
    source: 'venue',
    measures: AUDIT_MEASURES,
    async compare(comparedToMs, signal) {
      const candles = row.channels.includes('trade') ? await compareMinutes(deps, comparedToMs, signal) : [];
      return [...candles, ...(await compareNow(deps, signal))];
    },
  };
}

async function compareMinutes(deps: LiveDeps, comparedToMs: number | undefined, signal: AbortSignal): Promise<readonly Measured[]> {
  const { row, pool, clock, answers } = deps;
  const { fromMs: recordedFromMs = Infinity } = await readRecorded(pool, row.symbol);
  const toMs = Math.floor((clock.nowMs() - MINUTE_SETTLED_MS) / MINUTE_MS) * MINUTE_MS;
  const earliestMs = comparedToMs === undefined ? toMs - FIRST_MINUTES * MINUTE_MS : Math.max(comparedToMs, toMs - MINUTES_MAX * MINUTE_MS);
  const fromMs = Math.max(earliestMs, Math.ceil(recordedFromMs / MINUTE_MS) * MINUTE_MS);
  if (fromMs >= toMs) return [];
  const span = { fromMs, toMs };
  const values = ((toMs - fromMs) / MINUTE_MS) * CANDLE_VALUES;
  const text = await responseOrNone(() => answers.candles(row.venueInstrument, fromMs, toMs, signal), signal);
  const theirs = text === undefined ? undefined : venueAnswersOf(row.venue).candles(text, row);
  const comparison =
    theirs === undefined
      ? nothingCompared(values, text === undefined ? 'venue_not_reached' : 'no_venue_value')
      : compareCandles(await minutesOf(deps, row.symbol, span, row.closingLagMs), theirs);
  return [{ measure: 'candles', ...span, comparison }];
}

type NowMeasure = 'book' | 'mark_price' | 'funding_rate';

async function compareNow(deps: LiveDeps, signal: AbortSignal): Promise<readonly Measured[]> {
  const found = new Map<NowMeasure, Measured>();
  for (let looks = 0; looks < LOOKS_MAX && (looks === 0 || [...found.values()].some((each) => !isEqual(each))); looks++) {
    for (const [measure, measured] of await look(deps, signal)) {
      const known = found.get(measure);
      if (known === undefined || rank(measured) >= rank(known)) found.set(measure, measured);
    }
  }
  return [...found.values()];
}

function isEqual({ comparison: { comparedTotal, equalTotal } }: Measured): boolean {
  return comparedTotal > 0 && comparedTotal === equalTotal;
}

/** One equal result wins; a difference outranks a missing comparison. */
function rank(measured: Measured): number {
  return isEqual(measured) ? 2 : measured.comparison.comparedTotal > 0 ? 1 : 0;
}

async function look(deps: LiveDeps, signal: AbortSignal): Promise<[NowMeasure, Measured][]> {
  const { row, clock, answers } = deps;
  const reader = venueAnswersOf(row.venue);
  const requestedAtMs = clock.nowMs();
  const [book, context] = await Promise.all([
    row.channels.includes('book') ? responseOrNone(() => answers.book(row.venueInstrument, signal), signal) : undefined,
    row.channels.includes('context') ? responseOrNone(() => answers.context(row.venueInstrument, signal), signal) : undefined,
  ]);
  const answeredMs = clock.nowMs();
  const isRecorded = await untilRecorded(deps, row.symbol, answeredMs + row.closingLagMs + NEXT_MESSAGE_MS, signal);
  const at = { fromMs: requestedAtMs, toMs: answeredMs };
  const measured: [NowMeasure, Measured][] = [];
  const add = (measure: NowMeasure, comparison: Comparison): void => void measured.push([measure, { measure, ...at, comparison }]);

  if (row.channels.includes('book')) add('book', await compareBookWith(deps, book, isRecorded));
  if (!row.channels.includes('context')) return measured;
  const theirs = context === undefined ? undefined : reader.context(context, row);
  const around = { fromMs: requestedAtMs - row.contextStalenessMs, toMs: answeredMs + AROUND_MS };
  const contexts = theirs === undefined || !isRecorded ? [] : await contextsOf(deps, row.symbol, around);
  const missing = await missingOf(deps, row.symbol, 'context', around);
  for (const measure of ['mark_price', 'funding_rate'] as const) {
    const nothing = whyNothing(context, theirs, isRecorded);
    add(
      measure,
      theirs === undefined || nothing !== undefined
        ? nothingCompared(1, nothing ?? 'no_venue_value')
        : compareContext(measure, contexts, theirs, { requestedAtMs, answeredMs }, missing),
    );
  }
  return measured;
}

async function compareBookWith(deps: LiveDeps, text: string | undefined, isRecorded: boolean): Promise<Comparison> {
  const { row } = deps;
  const theirs = text === undefined ? undefined : venueAnswersOf(row.venue).bestPrices(text, row);
  const nothing = whyNothing(text, theirs, isRecorded);
  if (theirs === undefined || nothing !== undefined) return nothingCompared(BOOK_VALUES, nothing ?? 'no_venue_value');
  const around: Span = { fromMs: theirs.timeMs - AROUND_MS, toMs: theirs.timeMs + AROUND_MS };
  return compareBook(await booksOf(deps, row.symbol, around), theirs, await missingOf(deps, row.symbol, 'book', around));
}

function whyNothing(text: string | undefined, theirs: object | undefined, isRecorded: boolean) {
  if (text === undefined) return 'venue_not_reached';
  if (theirs === undefined) return 'no_venue_value';
  return isRecorded ? undefined : 'not_recorded';
}

/** Undefined if the venue does not respond. */
async function responseOrNone(ask: () => Promise<string>, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof VenueError) return undefined;
    throw error;
  }
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
