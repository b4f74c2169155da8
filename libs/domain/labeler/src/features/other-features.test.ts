import type { LiquidationRecord } from '../windows/entry-windows';
import { liquidationFeatures, openInterestChange } from './features';
import { logReturn, priceMoveBps, realizedVolatility } from '../label/price-history';

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

describe('prices', () => {
  test('a mid that rises from 20,000 to 20,010 moved 5 bps; the way back is −4.997501', () => {
    expect(priceMoveBps(20_010, 20_000)).toBe(5);
    expect(priceMoveBps(20_000, 20_010)).toBe(-4.997501);
  });

  test('the log return of 1 % is ln 1.01 = 0.009950330853', () => {
    expect(logReturn(101, 100)).toBe(0.009950330853);
  });

  test('realized volatility is the root mean square: of 3e-4 and 4e-4 it is sqrt(25e-8 / 2) = 0.000353553391', () => {
    expect(realizedVolatility([3e-4, -4e-4], 2)).toBe(0.000353553391);
    expect(realizedVolatility([3e-4], 2)).toBeNull();
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
