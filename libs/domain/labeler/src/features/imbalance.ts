import { round6 } from '../numbers/round';

/**
 * Order-book imbalance over the best k levels: imb_k = (B_k − A_k) / (B_k + A_k), −1 (only asks) to 1 (only bids), B_k and A_k being
 * the sizes of the first k bid and ask levels (those present), summed best first. Null when there is no size at all.
 * Source: queue imbalance of the visible book (M. Gould and J. Bonart, "Queue imbalance as a one-tick-ahead price predictor", 2016).
 */
export function imbalance(bidSizes: readonly number[], askSizes: readonly number[], levels: number): number | null {
  const bids = depth(bidSizes, levels);
  const asks = depth(askSizes, levels);
  const total = bids + asks;
  return total === 0 ? null : round6((bids - asks) / total);
}

/** Size of the first `levels` levels, summed best first. Base units. */
export function depth(sizes: readonly number[], levels: number): number {
  let sum = 0;
  for (let index = 0; index < levels && index < sizes.length; index++) sum += sizes[index] as number;
  return sum;
}
