import type { InstrumentFacts } from '../played-instrument';
import { anyDecimal, compareDecimals, multiplyDecimals, normalizeDecimal } from '../decimal';
import { isObject, type Json } from '../json';
import { parseUtcInstant } from '../text-forms';

export interface ListedPerpetual extends InstrumentFacts {
  readonly venueInstrument: string;
  /** Coin without a multiplier: `PEPE` for `kPEPE` and `1000PEPE`. */
  readonly base: string;
  /** Unit of quantities: base units, inverse contracts worth US dollars, or contracts of base units. */
  readonly unit: 'base' | { readonly contractValue: string } | { readonly contractSize: string };
  /** Absent if it is traded now. */
  readonly notTraded?: string;
}

/** Relative to the venue's REST address. Absent body: GET. */
export interface ListingRequest {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
  /** An answer is used if it arrives; without it some facts stay unknown. */
  readonly isOptional?: true;
  next?(answer: unknown): string | undefined;
}

/** Answers by request name, one per page. */
export type ListingAnswers = Readonly<Record<string, readonly unknown[]>>;

export interface VenueListing {
  readonly requests: readonly ListingRequest[];
  /** @throws ListingError if the answers are not the venue's metadata */
  read(answers: ListingAnswers): readonly ListedPerpetual[];
}

export class ListingError extends Error {
  override readonly name = 'ListingError';
}

export interface MultipliedName {
  readonly base: string;
  readonly multiplier: string;
}

const LEADING = /^(1(?:0{3,6}|M))([A-Z][A-Z0-9]+)$/;
const TRAILING = /^([A-Z][A-Z0-9]*[A-Z])(10{3,6})$/;
const MILLION = '1000000';

/** `1000PEPE`, `1MBABYDOGE` and `SHIB1000` by name, because no metadata states the multiplier; `1INCH` is a coin. */
export function multipliedName(name: string): MultipliedName {
  const [, first, coin] = LEADING.exec(name) ?? [];
  if (first !== undefined && coin !== undefined) return { base: coin, multiplier: first === '1M' ? MILLION : first };
  const [, named, last] = TRAILING.exec(name) ?? [];
  return named !== undefined && last !== undefined ? { base: named, multiplier: last } : { base: name, multiplier: '1' };
}

/**
 * Lists found at a path of each page.
 * @throws ListingError if a page has no such list
 */
export function listsOf(answers: ListingAnswers, name: string, ...path: readonly string[]): readonly Json[] {
  return (answers[name] ?? []).flatMap((page) => {
    const found = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), page);
    if (!Array.isArray(found)) throw new ListingError(`the answer ${name} has no list ${path.join('.') || 'at its top'}`);
    return (found as unknown[]).filter(isObject);
  });
}

export function byName(rows: readonly Json[], field: string): ReadonlyMap<string, Json> {
  return new Map(rows.flatMap((row) => (typeof row[field] === 'string' ? [[row[field], row] as const] : [])));
}

export function factOf(value: unknown): string | undefined {
  const plain = anyDecimal(typeof value === 'number' ? String(value) : value);
  return plain !== undefined && compareDecimals(plain, '0') > 0 ? plain : undefined;
}

export function productOf(a: unknown, b: unknown): string | undefined {
  const [left, right] = [factOf(a), factOf(b)];
  return left === undefined || right === undefined ? undefined : multiplyDecimals(left, right);
}

export function powerOfTen(exponent: unknown): string | undefined {
  return typeof exponent === 'number' && Number.isInteger(exponent) && Math.abs(exponent) <= 30
    ? normalizeDecimal(`1e${exponent}`)
    : undefined;
}

/** Epoch milliseconds of a number, digits or an ISO instant; absent if 0 or after 2099, which venues use for "never". */
export function instantOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' && !/^[0-9]+$/.test(value) ? parseUtcInstant(value) : Number(value ?? NaN);
  return ms !== undefined && ms > 0 && ms < Date.UTC(2100, 0) ? ms : undefined;
}
