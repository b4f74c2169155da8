import { addDecimals, compareDecimals } from '@market-state/market-data';

/** The exact sum of decimals written as the API writes them. */
export function sumOf(decimals: readonly string[]): string {
  return decimals.reduce(addDecimals, '0');
}

/** The least and the greatest of the decimals as they are written; null of none. */
export function rangeOf(decimals: readonly string[]): { readonly low: string | null; readonly high: string | null } {
  const sorted = decimals.toSorted(compareDecimals);
  return { low: sorted[0] ?? null, high: sorted.at(-1) ?? null };
}
