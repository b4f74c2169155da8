import { round6 } from '../numbers/round';

/**
 * Order-book imbalance over the best k levels: imb_k = (B_k − A_k) / (B_k + A_k), −1 (only asks) to 1 (only bids), B_k and A_k being
 * the sizes of the first k bid and ask levels (those present), summed best first. No unit, 6 decimals; of one book, that at T. Null when
 * there is no size at all.
 * Source: queue imbalance at k = 1 (M. Gould and J. Bonart, 2016); volume imbalance of the limit order book (Á. Cartea, S. Jaimungal and
 * J. Penalva, "Algorithmic and High-Frequency Trading", 2015). The sizes of several levels are added unweighted.
 */
export function imbalance(bidSizes: readonly number[], askSizes: readonly number[], levels: number): number | null {
  const bids = depth(bidSizes, levels);
  const asks = depth(askSizes, levels);
  const total = bids + asks;
  return total === 0 ? null : round6((bids - asks) / total);
}

/** Size of the first `levels` levels (those present), summed best first. Base units, at least 0, not rounded; of one book. */
export function depth(sizes: readonly number[], levels: number): number {
  let sum = 0;
  for (let index = 0; index < levels && index < sizes.length; index++) sum += sizes[index] as number;
  return sum;
}
