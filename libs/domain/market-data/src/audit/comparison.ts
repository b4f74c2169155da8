import { sha256Hex } from '#bytes';
import { addDecimals, compareDecimals } from '../decimal';
import { crockford, fromHex } from '../text-forms';
import { type BookEvent, type BookLevel, type ContextEvent, MINUTE_MS } from '../event';
import type { BestPrice, BestPrices, VenueCandle, VenueContext } from './venue-answers';
import { bestPricesOf } from '../binance/parse-message';

export interface Requested {
  readonly requestedAtMs: number;
  readonly answeredMs: number;
}

/** Historical payments carry only a time and a rate. */
const PAYMENT = 'funding-';

/**
 * Compares context values like `compareBook`: equal at the same time, otherwise between the adjacent contexts.
 * @param contexts around the response, in log order
 */
export function compareContext(
  measure: 'mark_price' | 'funding_rate',
  contexts: readonly ContextEvent[],
  theirs: VenueContext,
  requested: Requested,
  missing: readonly MissingSpan[],
): Comparison {
  const venueValue = measure === 'mark_price' ? theirs.markPrice : theirs.fundingRate;
  if (venueValue === undefined) return nothingCompared(1, 'no_venue_value');
  const { timeMs } = theirs;
  const known = contexts.flatMap((event) => {
    const value = measure === 'mark_price' ? event.markPrice : (event.venueFundingRate ?? event.fundingRate);
    if (value === undefined || event.venueId.startsWith(PAYMENT)) return [];
    return [{ value, atMs: timeMs === undefined ? event.receivedTsMs : event.exchangeTsMs }];
  });
  const [fromMs, toMs] = timeMs === undefined ? [requested.requestedAtMs, requested.answeredMs] : [timeMs, timeMs];
  const tally = new ComparisonTally();
  const same = known.findLast(({ atMs }) => atMs === timeMs);
  if (same !== undefined) {
    tally.compare(measure, [fromMs, fromMs], same.value, venueValue);
    return tally.result();
  }
  const first = known.findLastIndex(({ atMs }) => atMs <= fromMs);
  const next = known.findIndex(({ atMs }) => atMs > toMs);
  const [before, ...others] = first < 0 ? [] : known.slice(first, next < 0 ? undefined : next + 1);
  if (before === undefined) return nothingCompared(1, 'not_recorded');
  const lastMs = others.at(-1)?.atMs ?? toMs;
  if (missing.some(({ startMs, endMs }) => startMs < lastMs && endMs > before.atMs)) return nothingCompared(1, 'gap');
  tally.compareBetween(measure, fromMs, [before.value, ...others.map(({ value }) => value)], venueValue);
  return tally.result();
}

export const CANDLE_VALUES = 6;

export interface AuditedCandle {
  readonly openMs: number;
  readonly complete: boolean;
  readonly gap: boolean;
  /** Absent without trades. `volume` is in base units, `notional` in quote currency. */
  readonly row?: {
    readonly open: string;
    readonly high: string;
    readonly low: string;
    readonly close: string;
    readonly volume: string;
    readonly notional: string;
    readonly tradeTotal: number;
  };
}

/**
 * Incomplete minutes are skipped. A minute with trades on only one side differs in its trade count, or in its volume if
 * the venue does not count trades.
 */
export function compareCandles(ours: readonly AuditedCandle[], theirs: readonly VenueCandle[]): Comparison {
  const tally = new ComparisonTally();
  const countsTrades = theirs.every(({ tradeTotal }) => tradeTotal !== undefined);
  const byOpen = new Map(theirs.map((candle) => [candle.openMs, candle]));
  for (const { openMs, complete, gap, row } of ours) {
    const span = [openMs, openMs + MINUTE_MS] as const;
    const candle = byOpen.get(openMs);
    if (gap || !complete) {
      tally.skip(CANDLE_VALUES, gap ? 'gap' : 'not_recorded');
      continue;
    }
    const hasTrades = candle !== undefined && (candle.tradeTotal ?? Number(candle.turnover.value)) > 0;
    if (row !== undefined && hasTrades) {
      for (const field of ['open', 'high', 'low', 'close'] as const) tally.compare(field, span, row[field], candle[field]);
      tally.compare(candle.turnover.field, span, row[candle.turnover.field], candle.turnover.value);
    }
    if (countsTrades) tally.compare('trade_total', span, String(row?.tradeTotal ?? 0), String(candle?.tradeTotal ?? 0));
    else {
      if ((row !== undefined) !== hasTrades) tally.compare('volume', span, row?.volume ?? '0', candle?.turnover.value ?? '0');
      tally.skip(1, 'no_venue_value');
    }
  }
  return tally.result();
}

/**
 * Compares rebuilt books with a recording's independent best prices (Binance `bookTicker`). The book after update `u`
 * must match the last ticker with an id up to `u`. Feed lines in order.
 */
export class RecordedBestPrices {
  private readonly tally = new ComparisonTally();
  private readonly books: readonly { readonly book: BookEvent; readonly id: number }[];
  private next = 0;
  private last: BestPrices | undefined;

  constructor(
    private readonly venueInstrument: string,
    books: readonly BookEvent[],
  ) {
    this.books = books.map((book) => ({ book, id: Number(book.venueId) })).sort((a, b) => a.id - b.id);
  }

  get isDone(): boolean {
    return this.next >= this.books.length;
  }

  accept(line: string): void {
    const ticker = bestPricesOf(line, this.venueInstrument);
    if (ticker === undefined) return;
    this.compareUpTo(ticker.place.value);
    this.last = ticker;
  }

  finish(): Comparison {
    this.compareUpTo(Infinity);
    return this.tally.result();
  }

  private compareUpTo(id: number): void {
    for (let entry = this.books[this.next]; entry !== undefined && entry.id < id; entry = this.books[++this.next]) {
      const { book } = entry;
      if (this.last === undefined) {
        this.tally.skip(BOOK_VALUES, 'no_best_prices');
        continue;
      }
      compareSide(this.tally, 'bid', book.exchangeTsMs, book.bids[0], this.last.bid);
      compareSide(this.tally, 'ask', book.exchangeTsMs, book.asks[0], this.last.ask);
    }
  }
}

export const BOOK_VALUES = 4;

/** Span with possibly missing book rows, epoch milliseconds; `endMs` is Infinity while open. */
export interface MissingSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Compares top-of-book with the venue's response. A book of the same update id or time must match exactly; otherwise
 * each price must lie between the adjacent books. Skips values without both books, or across a gap.
 * @param books around the response, in log order
 */
export function compareBook(books: readonly BookEvent[], theirs: BestPrices, missing: readonly MissingSpan[]): Comparison {
  const tally = new ComparisonTally();
  const { place, timeMs } = theirs;
  const placed = books.map((book) => ({ book, at: place.by === 'time' ? book.exchangeTsMs : Number(book.venueId) }));
  const same = placed.findLast(({ at }) => at === place.value)?.book;
  if (same !== undefined) {
    compareSide(tally, 'bid', timeMs, same.bids[0], theirs.bid);
    compareSide(tally, 'ask', timeMs, same.asks[0], theirs.ask);
    return tally.result();
  }
  const before = placed.findLast(({ at }) => at < place.value)?.book;
  const after = placed.find(({ at }) => at > place.value)?.book;
  if (before === undefined || after === undefined) return nothingCompared(BOOK_VALUES, 'not_recorded');
  if (missing.some(({ startMs, endMs }) => startMs < after.exchangeTsMs && endMs > before.exchangeTsMs))
    return nothingCompared(BOOK_VALUES, 'gap');
  compareBestPrice(tally, 'bid', timeMs, [before.bids[0], after.bids[0]], theirs.bid);
  compareBestPrice(tally, 'ask', timeMs, [before.asks[0], after.asks[0]], theirs.ask);
  return tally.result();
}

function compareBestPrice(
  tally: ComparisonTally,
  side: 'bid' | 'ask',
  atMs: number,
  [before, after]: readonly [BookLevel | undefined, BookLevel | undefined],
  theirs: BestPrice,
): void {
  tally.compareBetween(`${side}_price`, atMs, [before?.price ?? '0', after?.price ?? '0'], theirs.price);
}

function compareSide(tally: ComparisonTally, side: 'bid' | 'ask', atMs: number, ours: BookLevel | undefined, theirs: BestPrice): void {
  tally.compare(`${side}_price`, [atMs, atMs], ours?.price ?? '0', theirs.price);
  tally.compare(`${side}_size`, [atMs, atMs], ours?.venueSize ?? ours?.size ?? '0', theirs.size);
}

const ID_CHARACTERS = 26;

/** `dif_` plus the first 26 characters (lower-case Crockford base32) of a SHA-256 over symbol, measure and run. */
export function differenceIdOf(symbol: string, measure: AuditMeasure, runMs: number): string {
  return `dif_${crockford(fromHex(sha256Hex(JSON.stringify([symbol, measure, runMs]))), ID_CHARACTERS)}`;
}

export const AUDIT_MEASURES = ['candles', 'book', 'mark_price', 'funding_rate'] as const;
export type AuditMeasure = (typeof AUDIT_MEASURES)[number];

/** The venue may lack the value; the recording may lack best prices or be too long to read again. */
const NOT_COMPARED_REASONS = [
  'gap',
  'not_recorded',
  'venue_not_reached',
  'no_venue_value',
  'no_best_prices',
  'recording_too_long',
] as const;
export type NotComparedReason = (typeof NOT_COMPARED_REASONS)[number];

interface ValueDifference {
  readonly field: string;
  readonly atMs: number;
  /** Decimals. For a value that must lie between two, the nearer one. */
  readonly ours: string;
  readonly theirs: string;
  readonly by: string;
}

export interface Comparison {
  readonly comparedTotal: number;
  readonly equalTotal: number;
  readonly notComparedTotal: number;
  readonly reasons: readonly NotComparedReason[];
  /** Largest difference relative to the venue's value. */
  readonly largest?: ValueDifference;
  /** First and last differing time; for a candle, the end of its minute. */
  readonly differsFromMs?: number;
  readonly differsToMs?: number;
}

class ComparisonTally {
  private compared = 0;
  private equal = 0;
  private notCompared = 0;
  private readonly reasons = new Set<NotComparedReason>();
  private largest: ValueDifference | undefined;
  private largestShare = -1;
  private fromMs = Infinity;
  private toMs = -Infinity;

  compare(field: string, [atMs, endMs]: readonly [atMs: number, endMs: number], ours: string, theirs: string): void {
    this.compared++;
    const by = distance(ours, theirs);
    if (by === '0') {
      this.equal++;
      return;
    }
    this.fromMs = Math.min(this.fromMs, atMs);
    this.toMs = Math.max(this.toMs, endMs);
    const share = Number(by) / Math.abs(Number(theirs));
    if (share <= this.largestShare) return;
    this.largest = { field, atMs, ours, theirs, by };
    this.largestShare = share;
  }

  compareBetween(field: string, atMs: number, ours: readonly [string, ...string[]], theirs: string): void {
    const [low, high] = [ours.reduce(lower), ours.reduce(higher)];
    const isWithin = compareDecimals(low, theirs) <= 0 && compareDecimals(theirs, high) <= 0;
    this.compare(field, [atMs, atMs], isWithin ? theirs : compareDecimals(theirs, low) < 0 ? low : high, theirs);
  }

  skip(values: number, reason: NotComparedReason): void {
    this.notCompared += values;
    this.reasons.add(reason);
  }

  result(): Comparison {
    const { compared, equal, notCompared, reasons, largest, fromMs, toMs } = this;
    const totals = { comparedTotal: compared, equalTotal: equal, notComparedTotal: notCompared };
    const ordered = NOT_COMPARED_REASONS.filter((reason) => reasons.has(reason));
    if (largest === undefined) return { ...totals, reasons: ordered };
    return { ...totals, reasons: ordered, largest, differsFromMs: fromMs, differsToMs: toMs };
  }
}

export function nothingCompared(values: number, reason: NotComparedReason): Comparison {
  return { comparedTotal: 0, equalTotal: 0, notComparedTotal: values, reasons: [reason] };
}

function distance(a: string, b: string): string {
  const difference = addDecimals(a, b.startsWith('-') ? b.slice(1) : `-${b}`);
  return difference.startsWith('-') ? difference.slice(1) : difference;
}

function lower(a: string, b: string): string {
  return compareDecimals(a, b) <= 0 ? a : b;
}

function higher(a: string, b: string): string {
  return compareDecimals(a, b) >= 0 ? a : b;
}
