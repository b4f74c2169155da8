import { POLICY_NUMBERS } from '../policy/numbers';
import { crowding, fragilityComposite, forcedFlow, flow, pressure, regime } from './composites';

describe('pressure: p = m180', () => {
  test.each([
    [1, 180_000, 1, 1, 180],
    [-0.333333, 60_500, 0.333333, -1, 60.5],
    [0, 0, 0, 0, 0],
    [0.16, 12_346, 0.16, 1, 12.346],
  ])('m180 %d over %d ms: P = %d, side %d; imb_k are shown with it', (imbalanceMean, heldMs, score, side, heldSeconds) => {
    const read = pressure({ imbalance5: -0.4, imbalance1: 0.9, held: { imbalanceMean, heldMs, depthMean: 7 } });
    expect([read.score, read.side, read.signed]).toEqual([score, side, imbalanceMean]);
    expect(read.terms).toEqual([
      { name: 'imb_5', value: -0.4 },
      { name: 'imb_1', value: 0.9 },
      { name: 'm180', value: imbalanceMean },
      { name: 'held_seconds', value: heldSeconds },
      { name: 'pressure_signed', value: imbalanceMean },
    ]);
  });
});

describe('flow: f = flow_180s', () => {
  test.each([
    [0.25, 0.25, 1],
    [-0.7, 0.7, -1],
    [0, 0, 0],
  ])('flow %d: F = %d, side %d; the rest is shown with it', (value, score, side) => {
    const read = flow({ imbalance: -0.9, flow: value, flow10s: 0.6, depthRatio: 0.4 });
    expect([read.score, read.side, read.available]).toEqual([score, side, true]);
    expect(read.terms).toEqual([
      { name: 'trade_imbalance', value: -0.9 },
      { name: 'depth_ratio', value: 0.4 },
      { name: 'flow_10s', value: 0.6 },
      { name: 'flow_signed', value },
    ]);
  });
});

describe('crowding: C = 0.6 × min(1, |rate| × 8,760 / 0.50) + 0.4 × min(1, |change| / 0.05)', () => {
  test.each([
    // 0.5 / 8,760 = 0.000057077625…: the first rate whose term is 1
    [0.000057077626, 0, 1, 0, 0.6],
    // 0.000057 × 8,760 = 0.49932; / 0.5 = 0.99864; × 0.6 = 0.599184
    [0.000057, 0, 0.99864, 0, 0.599184],
    [0, 0.05, 0, 1, 0.4],
    [0, -0.05, 0, 1, 0.4],
    // 0.0499 / 0.05 = 0.998; × 0.4 = 0.3992
    [0, 0.0499, 0, 0.998, 0.3992],
    [0, 0.025, 0, 0.5, 0.2],
    [1, 1, 1, 1, 1],
    [0, 0, 0, 0, 0],
  ])(
    'rate %d an hour, change %d: terms %d and %d, C = %d, no side',
    (fundingRateAbs, openInterestChange, fundingTerm, interestTerm, score) => {
      const read = crowding({ fundingRateAbs, openInterestChange }, POLICY_NUMBERS);
      expect(read).toMatchObject({ score, side: 0 });
      expect(read.terms).toEqual([
        { name: 'funding_term', value: fundingTerm },
        { name: 'oi_change_1h', value: openInterestChange },
        { name: 'open_interest_term', value: interestTerm },
      ]);
    },
  );
});

describe('forced flow: L = min(1, liquidated / max(50,000, 0.10 × traded))', () => {
  test.each([
    [25_000, 0, 0.5],
    // 0.10 × 500,000 = 50,000: floor and share meet
    [25_000, 500_000, 0.5],
    // 25,000 / 60,000
    [25_000, 600_000, 0.416667],
    [50_000, 0, 1],
    // 49,999 / 50,000
    [49_999, 0, 0.99998],
    [60_000, 600_000, 1],
    [0, 600_000, 0],
  ])('%d liquidated, %d traded: %d', (liquidationNotionalUsd, tradedNotionalUsd, score) => {
    const read = forcedFlow({ liquidationNotionalUsd, tradedNotionalUsd, direction: 1 }, POLICY_NUMBERS);
    expect(read).toMatchObject({ score, side: 1 });
    expect(read.terms).toEqual([
      { name: 'liquidation_notional_usd', value: liquidationNotionalUsd },
      { name: 'traded_notional_usd', value: tradedNotionalUsd },
    ]);
  });

  test('balanced liquidations have no side, whatever they are worth', () => {
    expect(forcedFlow({ liquidationNotionalUsd: 80_000, tradedNotionalUsd: 0, direction: 0 }, POLICY_NUMBERS)).toMatchObject({
      score: 1,
      side: 0,
    });
  });
});

describe('regime: R = min(1, ln(range_ratio) / ln 4), 0 up to a ratio of 1', () => {
  test.each([
    // (4 + 4) / 2 / 1
    [4, 4, 1, 1],
    [1, 1, 4, 0],
    // ln 3 / ln 4 = 1.098612 / 1.386294
    [4, 2, 1, 0.792481],
    // ln 1.1 / ln 4 = 0.0953102 / 1.386294
    [1.2, 1, 1, 0.068752],
    [1, 1, 1, 0],
    [0, 0, 0, 0],
  ])('fast %d, middle %d, slow %d: %d', (fast, middle, slow, score) => {
    const ranges = { total: 180, newest: fast, fast, middle, slow, level: 1 };
    expect(regime({ volatility: { short: 0.0001, session: 0.0001 }, ranges }, false, POLICY_NUMBERS)).toMatchObject({
      score,
      side: 0,
      available: true,
    });
  });
});

test('fragility passes the score of the queue on, without a side, its parts as terms', () => {
  const read = { thin: 0.5, churn: 0.2, wide: 0.1, score: 0.295, measured: true };
  expect(fragilityComposite({ read, churn: 0.2 })).toMatchObject({
    score: 0.295,
    side: 0,
    terms: [
      { name: 'thin', value: 0.5 },
      { name: 'churn', value: 0.2 },
      { name: 'wide', value: 0.1 },
    ],
  });
});
