import {
  AUDIT_MEASURES,
  BOOK_VALUES,
  CANDLE_VALUES,
  compareBook,
  compareCandles,
  compareContext,
  type Comparison,
  type InstrumentRow,
  nothingCompared,
  venueAnswersOf,
} from '@market-state/market-data';
import { type VenueAnswers, VenueError } from '@market-state/venues';
import type { AuditTarget, Measured } from './audit-target';
import { type AuditDeps, booksOf, contextsOf, minutesOf, missingOf, type Span, untilRecorded } from './recorded-rows';
import { readRecorded } from '../store/recorded';

const MINUTE_MS = 60_000;
/** Delay after a minute, in which missing trades become a gap. */
const SETTLED_MS = 60_000;
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
  const toMs = Math.floor((clock.nowMs() - SETTLED_MS) / MINUTE_MS) * MINUTE_MS;
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
