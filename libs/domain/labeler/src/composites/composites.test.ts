import { POLICY_NUMBERS } from '../policy/numbers';
import { crowding, fragilityComposite, forcedFlow, flow, pressure, regime } from './composites';

const missing = { value: null, note: 'source_missing' };
const notAvailable = { value: null, note: 'not_available' };

describe('pressure', () => {
  test('a missing book counts as 0 and each term says so', () => {
    const read = pressure(null);
    expect(read).toMatchObject({ score: 0, side: 0, available: false });
    expect(read.terms).toMatchObject([missing, missing, missing, missing, { name: 'pressure_signed', value: 0 }]);
  });

  test('a book that is there and was held for no time is read as 0', () => {
    const held = { imbalanceMean: 0, heldMs: 0, depthMean: 0 };
    expect(pressure({ imbalance5: 0.9, imbalance1: 0.9, held })).toMatchObject({ score: 0, side: 0, available: true });
  });
});

describe('flow', () => {
  test('three minutes without a trade are read as 0, the imbalance of nothing not', () => {
    expect(flow({ imbalance: null, flow: 0, flow10s: 0, depthRatio: 0 })).toMatchObject({
      score: 0,
      side: 0,
      available: true,
      terms: [notAvailable, { value: 0 }, { value: 0 }, { value: 0 }],
    });
  });

  test('trades without any depth to measure them against cannot be read', () => {
    expect(flow({ imbalance: 1, flow: null, flow10s: null, depthRatio: null })).toMatchObject({
      score: 0,
      side: 0,
      available: false,
      terms: [{ value: 1 }, notAvailable, notAvailable, { value: 0 }],
    });
  });

  test('a missing channel is source_missing', () => {
    expect(flow(null)).toMatchObject({ score: 0, available: false, terms: [missing, missing, missing, { value: 0 }] });
  });
});

test('fragility shows thin and wide as not available until the session medians exist', () => {
  const read = { thin: 0, churn: 0.2, wide: 0, score: 0.07, measured: false };
  expect(fragilityComposite({ read, churn: 0.2 })).toMatchObject({
    score: 0.07,
    side: 0,
    terms: [notAvailable, { value: 0.2 }, notAvailable],
  });
  expect(fragilityComposite(null)).toMatchObject({ score: 0, available: false, terms: [missing, missing, missing] });
});

describe('crowding', () => {
  test('25 % a year of funding and 2 % of open interest: 0.6 × 0.5 + 0.4 × 0.4 = 0.46', () => {
    // 0.25 / 8,760 = 0.000028538813 an hour; × 8,760 / 0.50 = 0.500000
    expect(crowding({ fundingRateAbs: 0.000028538813, openInterestChange: -0.02 }, POLICY_NUMBERS)).toMatchObject({ score: 0.46, side: 0 });
  });

  test('each part is at most 1', () => {
    expect(crowding({ fundingRateAbs: 0.01, openInterestChange: 0.5 }, POLICY_NUMBERS).score).toBe(1);
  });

  test('what is unknown counts as 0', () => {
    expect(crowding({ fundingRateAbs: 0.01, openInterestChange: null }, POLICY_NUMBERS)).toMatchObject({
      score: 0.6,
      terms: [{ value: 1 }, notAvailable, notAvailable],
    });
    expect(crowding(null, POLICY_NUMBERS)).toMatchObject({ score: 0, available: false, terms: [missing, missing, missing] });
  });
});

describe('forced flow', () => {
  test.each([
    // quiet market: the floor of 50,000 rules; 25,000 / 50,000
    [25_000, 100_000, 0.5],
    // busy market: 10 % of 2,000,000 = 200,000; 50,000 / 200,000
    [50_000, 2_000_000, 0.25],
    [900_000, 2_000_000, 1],
    [0, 0, 0],
  ])('%d liquidated against %d traded is %d', (liquidationNotionalUsd, tradedNotionalUsd, score) => {
    expect(forcedFlow({ liquidationNotionalUsd, tradedNotionalUsd, direction: -1 }, POLICY_NUMBERS)).toMatchObject({ score, side: -1 });
  });

  test('a channel that is not reported is source_missing, not 0 observed', () => {
    expect(forcedFlow(null, POLICY_NUMBERS)).toMatchObject({ score: 0, side: 0, available: false, terms: [missing, missing] });
  });
});

describe('regime', () => {
  const ranges = { total: 180, newest: 2, fast: 2, middle: 2, slow: 1, level: 1 };

  test('price ranges twice those of half an hour are 0.5', () => {
    expect(regime({ volatility: { short: 0.0001, session: 0.0002 }, ranges }, false, POLICY_NUMBERS)).toMatchObject({
      score: 0.5,
      terms: [{ value: 0.0001 }, { value: 0.0002 }, { name: 'range_ratio', value: 2 }],
    });
  });

  test('it is 0 while a volatility is missing', () => {
    expect(regime({ volatility: { short: null, session: 0.0001 }, ranges }, false, POLICY_NUMBERS)).toMatchObject({
      score: 0,
      available: false,
      terms: [notAvailable, { value: 0.0001 }, notAvailable],
    });
    expect(regime({ volatility: { short: null, session: null }, ranges: null }, true, POLICY_NUMBERS)).toMatchObject({
      terms: [missing, missing, missing],
    });
  });
});
