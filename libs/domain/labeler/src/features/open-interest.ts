import { round6 } from '../numbers/round';
import type { OpenInterestRecord } from '../windows/context-window';

/**
 * oi_change_1h: (newest open interest − reference) / reference, the reference being the last value at least 1 h older than T; both
 * after `cutMs`. Null while there is no reference, or when it is 0.
 */
export function openInterestChange(
  records: Iterable<OpenInterestRecord>,
  cutMs: number,
  windowEndMs: number,
  lookbackMs: number,
): number | null {
  let reference: number | null = null;
  let newest: number | null = null;
  for (const record of records) {
    if (record.tsMs <= cutMs) continue;
    if (record.tsMs <= windowEndMs - lookbackMs) reference = record.value;
    newest = record.value;
  }
  if (reference === null || newest === null || reference === 0) return null;
  return round6((newest - reference) / reference);
}
