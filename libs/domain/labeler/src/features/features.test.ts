import { POLICY_NUMBERS } from '../policy/numbers';
import type { TradeRecord } from '../windows/entry-windows';
import { largeTradeShare, tradedNotional, tradeImbalance } from './features';

function trade(size: number, buy = true): TradeRecord {
  return { tsMs: 0, price: 10, size, buy, notional: size * 10 };
}

describe('trade imbalance', () => {
  test('(buy − sell) / (buy + sell): 3 bought and 1 + 1 sold is 1 / 5', () => {
    expect(tradeImbalance([trade(3), trade(1, false), trade(1, false)])).toBe(0.2);
  });

  test('only sales are −1, and no trades have no imbalance', () => {
    expect(tradeImbalance([trade(2, false)])).toBe(-1);
    expect(tradeImbalance([])).toBeNull();
  });
});

describe('large trade share', () => {
  // The 95th percentile of 1..200 is the ceil(0.95 × 200) = 190th smallest: 190.
  const earlier = Array.from({ length: 200 }, (_, index) => index + 1);

  test('is the share of size from trades at or above the 95th percentile size before', () => {
    // 190 of 190 + 10 + 100 = 300
    expect(largeTradeShare([trade(190), trade(10), trade(100)], earlier, POLICY_NUMBERS)).toBe(0.633333);
    expect(largeTradeShare([trade(189)], earlier, POLICY_NUMBERS)).toBe(0);
  });

  test('is 0 until 200 sizes are known, and null when nothing traded', () => {
    expect(largeTradeShare([trade(1000)], earlier.slice(1), POLICY_NUMBERS)).toBe(0);
    expect(largeTradeShare([], earlier, POLICY_NUMBERS)).toBeNull();
  });
});

test('traded notional sums what each trade was worth at the mid of its book', () => {
  expect(tradedNotional([trade(1.5), trade(2, false)])).toBe(35);
});
