import type { BookLevel } from '@market-state/market-data';
import { naturalLog } from '../numbers/natural-log';
import { round12, round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { RangeMeans } from '../read';

/** Source: exponentially weighted means, of ranges (M. Parkinson, 1980) at the spans of HAR (F. Corsi, 2009). */
export function addRange(before: RangeMeans | null, rangeBps: number, { ranges }: PolicyNumbers): RangeMeans {
  const total = (before?.total ?? 0) + 1;
  const moved = (mean: number | undefined, packets: number) => movedMean(mean ?? rangeBps, rangeBps, Math.min(total, packets));
  return {
    total,
    newest: rangeBps,
    fast: moved(before?.fast, ranges.fast_packets),
    middle: moved(before?.middle, ranges.middle_packets),
    slow: moved(before?.slow, ranges.slow_packets),
    level: movedMean(before?.level ?? rangeBps, rangeBps, levelLength(total, ranges)),
  };
}

function movedMean(mean: number, value: number, packets: number): number {
  return round12(mean + (value - mean) / packets);
}

function levelLength(total: number, ranges: PolicyNumbers['ranges']): number {
  return total <= ranges.level_start_packets ? total : ranges.level_packets;
}

/**
 * range_ratio: (fast + middle) / 2 / slow, 6 decimals: 1 while ranges stay as they were, above 1 while they widen.
 * Null if the slow mean is 0. Source: ours.
 */
export function rangeRatio({ fast, middle, slow }: RangeMeans): number | null {
  return slow === 0 ? null : round6((fast + middle) / 2 / slow);
}

/**
 * Activity: (middle + slow) / 2 / level, 6 decimals: above 1 while prices move more than usual for the symbol. 1 without
 * ranges or if the level is 0. Source: ours.
 */
export function activityOf(means: RangeMeans | null): number {
  return means === null || means.level === 0 ? 1 : round6((means.middle + means.slow) / 2 / means.level);
}

/** R of a range ratio: min(1, ln(ratio) / ln 4), 0 up to a ratio of 1; 6 decimals. */
export function regimeOfRatio(ratio: number, fullRatio: number): number {
  return ratio <= 1 ? 0 : round6(Math.min(1, naturalLog(ratio) / naturalLog(fullRatio)));
}

/**
 * movement_share, 0 to 1, 6 decimals: weighted mean of v / (v + 2 × level), each 6 decimals, over the newest range and
 * the fast, middle and slow means. Source: ours.
 */
export function movementShare(means: RangeMeans, { severity }: PolicyNumbers): number {
  const full = severity.level_multiple * means.level;
  const share = (value: number) => (value === 0 ? 0 : round6(value / (value + full)));
  return round6(
    severity.newest_weight * share(means.newest) +
      severity.fast_weight * share(means.fast) +
      severity.middle_weight * share(means.middle) +
      severity.slow_weight * share(means.slow),
  );
}

/** Size near the mid of the packet's book, base units, not rounded, and its level: a mean as that of ranges. */
export interface NearDepth {
  readonly total: number;
  readonly depth: number;
  readonly level: number;
}

export function addNearDepth(before: NearDepth | null, depth: number, { ranges }: PolicyNumbers): NearDepth {
  const total = (before?.total ?? 0) + 1;
  const level = before?.level ?? depth;
  return { total, depth, level: level + (depth - level) / levelLength(total, ranges) };
}

/** thin_share, 0 to 1, 6 decimals: level / (level + depth), 0.5 at the level; null if both are 0. Source: ours. */
export function thinShare({ depth, level }: NearDepth): number | null {
  return level === 0 ? null : round6(level / (level + depth));
}

/** Size of the levels within `reachBps` of the mid: bids, then asks, each best first. Base units, not rounded. */
export function depthWithin(
  { bids, asks }: { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] },
  mid: number,
  reachBps: number,
): number {
  const reach = (mid * reachBps) / 10_000;
  return sizeWhile(bids, (price) => price >= mid - reach) + sizeWhile(asks, (price) => price <= mid + reach);
}

function sizeWhile(levels: readonly BookLevel[], isNear: (price: number) => boolean): number {
  let sum = 0;
  for (const { price, size } of levels) {
    if (!isNear(Number(price))) break;
    sum += Number(size);
  }
  return sum;
}
