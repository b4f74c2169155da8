import type { BookLevel } from '../event';
import type { RejectionReason } from '../rejections';

/** Why levels are no whole book: a side is empty or not sorted best first. Whether its sides cross is the normalizer's to judge. */
export function bookFault(bids: readonly BookLevel[], asks: readonly BookLevel[]): RejectionReason | undefined {
  if (bids.length === 0 || asks.length === 0) return 'one_sided_book';
  return isSorted(bids, -1) && isSorted(asks, 1) ? undefined : 'unknown_message';
}

/** bid > ask; equal best prices are fine. */
export function isCrossed(bids: readonly BookLevel[], asks: readonly BookLevel[]): boolean {
  return Number(bids[0]?.price) > Number(asks[0]?.price);
}

/** @param direction 1: rising, -1: falling */
function isSorted(levels: readonly BookLevel[], direction: 1 | -1): boolean {
  return levels.every(({ price }, index) => index === 0 || (Number(price) - Number(levels[index - 1]?.price)) * direction > 0);
}
