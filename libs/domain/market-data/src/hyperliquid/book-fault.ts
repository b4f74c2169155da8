import type { BookLevel } from '../event';
import type { RejectionReason } from '../rejections';

/** Why a whole book can't be taken: a side is empty or not sorted best first, or the sides cross. Equal best prices are fine. */
export function bookFault(bids: readonly BookLevel[], asks: readonly BookLevel[]): RejectionReason | undefined {
  const [bid, ask] = [bids[0], asks[0]];
  if (bid === undefined || ask === undefined) return 'one_sided_book';
  if (!isSorted(bids, -1) || !isSorted(asks, 1)) return 'unknown_message';
  return Number(bid.price) > Number(ask.price) ? 'crossed_book' : undefined;
}

/** @param direction 1: rising, -1: falling */
function isSorted(levels: readonly BookLevel[], direction: 1 | -1): boolean {
  return levels.every(({ price }, index) => index === 0 || (Number(price) - Number(levels[index - 1]?.price)) * direction > 0);
}
