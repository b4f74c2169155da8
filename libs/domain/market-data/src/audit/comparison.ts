import { sha256Hex } from '#hash';
import { addDecimals, compareDecimals } from '../decimal';
import { crockford, fromHex } from '../text-forms';

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

export class ComparisonTally {
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
