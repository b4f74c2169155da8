import { sha256Hex } from '#hash';
import { addDecimals, compareDecimals } from '../decimal';
import { crockford, fromHex } from '../text-forms';

const ID_CHARACTERS = 26;

/** `dif_` and the first 26 characters (Crockford base32, lower case) of the SHA-256 of what is compared and the run that found it. */
export function differenceIdOf(symbol: string, measure: AuditMeasure, runMs: number): string {
  return `dif_${crockford(fromHex(sha256Hex(JSON.stringify([symbol, measure, runMs]))), ID_CHARACTERS)}`;
}

/** What is held against the venue's own answers. */
export const AUDIT_MEASURES = ['candles', 'book', 'mark_price', 'funding_rate'] as const;
export type AuditMeasure = (typeof AUDIT_MEASURES)[number];

/**
 * Why a value was not compared: it lies in a gap, is not recorded, the venue did not answer or its answer has no such value, the
 * recording has no best prices of its own, or is too long to be read again.
 */
const NOT_COMPARED_REASONS = [
  'gap',
  'not_recorded',
  'venue_not_reached',
  'no_venue_value',
  'no_best_prices',
  'recording_too_long',
] as const;
export type NotComparedReason = (typeof NOT_COMPARED_REASONS)[number];

/** A value that is another here than at the venue. */
interface ValueDifference {
  /** Which value, for example `high`. */
  readonly field: string;
  /** What it is of: the start of the minute, or the time of the book or price, milliseconds since the epoch. */
  readonly atMs: number;
  /** Decimals; of a value that must lie between two, the nearer one. */
  readonly ours: string;
  readonly theirs: string;
  /** How far they are apart, above zero. */
  readonly by: string;
}

/** What a comparison found. */
export interface Comparison {
  readonly comparedTotal: number;
  readonly equalTotal: number;
  readonly notComparedTotal: number;
  /** Each once, in the order of `NOT_COMPARED_REASONS`. */
  readonly reasons: readonly NotComparedReason[];
  /** Of the values that differ: the one that is furthest off by its share of the venue's. */
  readonly largest?: ValueDifference;
  /** What the first and the last value that differ are of; the end of the minute of a candle. */
  readonly differsFromMs?: number;
  readonly differsToMs?: number;
}

/** Counts values as they are compared. */
export class ComparisonTally {
  private compared = 0;
  private equal = 0;
  private notCompared = 0;
  private readonly reasons = new Set<NotComparedReason>();
  private largest: ValueDifference | undefined;
  /** Of the largest, of the venue's value. */
  private largestShare = -1;
  private fromMs = Infinity;
  private toMs = -Infinity;

  /** @param endMs where what it is of ends; `atMs` for an instant */
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

  /** The venue's value must be one of ours, or lie between two of them. */
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
    const told = NOT_COMPARED_REASONS.filter((reason) => reasons.has(reason));
    if (largest === undefined) return { ...totals, reasons: told };
    return { ...totals, reasons: told, largest, differsFromMs: fromMs, differsToMs: toMs };
  }
}

/** A comparison of nothing: so many values could not be compared. */
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
