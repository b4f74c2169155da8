import { nearestRank, type Sample } from '../numbers/rank';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { TradeRecord } from '../windows/trade-window';

/**
 * Signed trade imbalance of the window: (buy − sell) / (buy + sell) size by aggressor side, −1 (only sells) to 1 (only buys). No unit, 6
 * decimals; window 60 s. Null when nothing traded. Source: order imbalance by the side that crosses, scaled by volume (T. Chordia, R. Roll
 * and A. Subrahmanyam, "Order imbalance, liquidity, and market returns", 2002); the side is the venue's, not inferred.
 */
export function tradeImbalance(trades: Iterable<TradeRecord>): number | null {
  let buy = 0;
  let sell = 0;
  for (const trade of trades) {
    if (trade.buy) buy += trade.size;
    else sell += trade.size;
  }
  return buy + sell === 0 ? null : round6((buy - sell) / (buy + sell));
}

/**
 * large_trade_share, 0..1: share of the window's size in trades at or above the 95th percentile size of the last 2,000 trades
 * before it. 0 until 200 of those are known; null when nothing traded in the window. No unit, 6 decimals; window 60 s. Source: ours, over a
 * nearest-rank quantile.
 */
export function largeTradeShare(trades: Iterable<TradeRecord>, earlierSizes: Sample, numbers: PolicyNumbers): number | null {
  let total = 0;
  let large = 0;
  const known = earlierSizes.length >= numbers.minimums.trade_sizes;
  const bound = known ? nearestRank(earlierSizes, numbers.features.large_trade_quantile) : Number.POSITIVE_INFINITY;
  for (const trade of trades) {
    total += trade.size;
    if (trade.size >= bound) large += trade.size;
  }
  return total === 0 ? null : round6(large / total);
}

/**
 * Traded notional of the trades given, (T − 300 s, T]: sum of size × mid of the book in force at each. Quote currency, at least 0, 6
 * decimals. Source: the usual turnover.
 */
export function tradedNotional(trades: Iterable<TradeRecord>): number {
  let notional = 0;
  for (const trade of trades) notional += trade.notional;
  return round6(notional);
}
