import { round6 } from '../numbers/round';
import type { OpenInterestRecord } from '../windows/context-window';

/**
 * oi_change_1h: (newest open interest − reference) / reference, the reference being the last value at least 1 h older than T; both
 * after `cutMs`. `records`: oldest first. Null while there is no reference, or when it is 0.
 * No unit (0.05 is 5 % more), at least −1, 6 decimals; window 1 h. Source: the usual relative change.
 */
export function openInterestChange(
  records: { readonly length: number; at(index: number): OpenInterestRecord | undefined },
  cutMs: number,
  windowEndMs: number,
  lookbackMs: number,
): number | null {
  let reference: number | null = null;
  for (let index = 0; index < records.length; index++) {
    const record = records.at(index);
    if (record === undefined || record.tsMs > windowEndMs - lookbackMs) break;
    if (record.tsMs > cutMs) reference = record.value;
  }
  const newest = records.at(records.length - 1);
  if (reference === null || newest === undefined || reference === 0) return null;
  return round6((newest.value - reference) / reference);
}
