import { POLICY_NUMBERS } from '../policy/numbers';
import type { TradeRecord, LiquidationRecord } from '../windows/entry-windows';
import { largeTradeShare, tradedNotional, tradeImbalance, liquidationFeatures, openInterestChange } from './features';

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

function liquidation(long: boolean, notional: number, proxy = false): LiquidationRecord {
  return { tsMs: 0, long, notional, proxy };
}

describe('liquidations', () => {
  test('longs liquidated more press down: 300 long, 100 short is a skew of 200 / 400 and direction −1', () => {
    expect(liquidationFeatures([liquidation(true, 300), liquidation(false, 100)])).toEqual({
      total: 2,
      proxyTotal: 0,
      notionalUsd: 400,
      skew: 0.5,
      direction: -1,
    });
  });

  test('shorts liquidated more press up, and equal sums are balanced', () => {
    expect(liquidationFeatures([liquidation(false, 1, true)])).toMatchObject({ direction: 1, skew: -1, proxyTotal: 1 });
    expect(liquidationFeatures([liquidation(false, 5), liquidation(true, 5)])).toMatchObject({ direction: 0, skew: 0 });
  });

  test('none observed is 0, and a skew of nothing is not available', () => {
    expect(liquidationFeatures([])).toEqual({ total: 0, proxyTotal: 0, notionalUsd: 0, skew: null, direction: 0 });
  });
});

describe('open interest change', () => {
  const hourMs = 3_600_000;
  const records = [
    { tsMs: 0, value: 1000 },
    { tsMs: 1_000, value: 800 },
    { tsMs: hourMs, value: 900 },
  ];

  test('compares the newest with the last value at least 1 h old', () => {
    // At T = 1 h: (900 − 1000) / 1000. At T = 1 h + 1 s: (900 − 800) / 800.
    expect(openInterestChange(records, Number.NEGATIVE_INFINITY, hourMs, hourMs)).toBe(-0.1);
    expect(openInterestChange(records, Number.NEGATIVE_INFINITY, hourMs + 1_000, hourMs)).toBe(0.125);
  });

  test('is null before there is an hour, after a cut, and against 0', () => {
    expect(openInterestChange(records, Number.NEGATIVE_INFINITY, hourMs - 1, hourMs)).toBeNull();
    expect(openInterestChange(records, 1_000, hourMs + 1_000, hourMs)).toBeNull();
    expect(
      openInterestChange(
        [
          { tsMs: 0, value: 0 },
          { tsMs: hourMs, value: 5 },
        ],
        -1,
        hourMs,
        hourMs,
      ),
    ).toBeNull();
  });
});
