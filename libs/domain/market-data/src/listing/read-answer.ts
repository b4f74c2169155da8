import { anyDecimal, compareDecimals, multiplyDecimals, normalizeDecimal } from '../decimal';
import { isObject, type Json } from '../json';
import { parseUtcInstant } from '../text-forms';
import { type ListingAnswers, ListingError } from './listed-perpetual';

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
