import { price } from '@market-state/packet-figures';

const MINUS = '\u2212';

/** Thousands separators and a minus sign: `-61661.2` → `−61,661.2`. */
export function grouped(decimal: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(decimal) ?? [];
  if (whole === '') return decimal;
  return `${sign === '' ? '' : MINUS}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${rest}`;
}

/** Decimals of a tick or lot: the most that any of the strings has. */
export function decimalsOf(decimals: Iterable<string>): number {
  let most = 0;
  for (const decimal of decimals) most = Math.max(most, decimal.length - (decimal.indexOf('.') + 1 || decimal.length));
  return most;
}

/** Formats with exactly that many decimals, so that a column aligns: `61662` with 1 → `61,662.0`. */
export function aligned(decimal: string, decimals: number): string {
  const [whole = '', part = ''] = decimal.split('.');
  const padded = part.padEnd(decimals, '0');
  return grouped(padded === '' ? whole : `${whole}.${padded}`);
}

const SIZE_DIGITS = 5;

/** Decimals of the lot, but no more than five digits for the largest size. */
export function sizeDecimals(sizes: readonly string[]): number {
  const digits = String(Math.floor(Math.max(0, ...sizes.map(Number)))).length;
  return Math.min(decimalsOf(sizes), Math.max(0, SIZE_DIGITS - digits));
}

export function sizeText(size: number, decimals: number): string {
  return grouped(size.toFixed(decimals));
}

/** A computed price, such as a mid, which may lie between two ticks. */
export function priceText(value: number): string {
  return grouped(price(value));
}

/** Thousands separators: `61661` → `61,661`. */
export function whole(value: number): string {
  return value.toLocaleString('en-US');
}

export function dollars(cents: number): string {
  return `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}
