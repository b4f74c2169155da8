import type { ContextEvent } from '../event';
import { type Comparison, ComparisonTally, nothingCompared } from './comparison';
import type { MissingSpan } from './compare-book';
import type { VenueContext } from './venue-answers';

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
