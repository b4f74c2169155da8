import { POLICY_NUMBERS } from '../policy/numbers';
import type { BookRecord, TradeRecord } from '../windows/entry-windows';
import { churn, fragility, spreadBps } from './features';

function book(tsMs: number, fields: Partial<BookRecord> = {}): BookRecord {
  return { tsMs, bid: 100, ask: 101, bidSize: 10, askSize: 10, imbalance: 0, depth: 20, ...fields };
}

function trade(tsMs: number, price: number, size: number): TradeRecord {
  return { tsMs, price, size, buy: true, notional: price * size };
}

const NO_CUT = Number.NEGATIVE_INFINITY;

test('spread: one tick of 0.1 at a mid of 50,000.05 is 10,000 × 0.1 / 50,000.05 = 0.02 bps', () => {
  expect(spreadBps(50_000, 50_000.1, 50_000.05)).toBe(0.02);
  expect(spreadBps(100, 101, 100.5)).toBe(99.502488); // 10,000 / 100.5
});

describe('churn', () => {
  test.each([
    ['a best size fell by half and nothing traded', [book(0), book(100, { bidSize: 5 })], [], 1],
    ['a fall of less than half does not count', [book(0), book(100, { bidSize: 5.1 })], [], 0],
    ['trades at that price as large as the fall explain it', [book(0), book(100, { bidSize: 5 })], [trade(100, 100, 5)], 0],
    ['trades smaller than the fall do not', [book(0), book(100, { bidSize: 5 })], [trade(50, 100, 4)], 1],
    ['trades at another price do not', [book(0), book(100, { bidSize: 5 })], [trade(50, 101, 50)], 1],
    ['trades before the step do not', [book(0), book(100, { askSize: 1 })], [trade(0, 101, 50)], 1],
    [
      'steps in which a best price changed are not counted',
      [book(0), book(100, { bid: 99, bidSize: 1 }), book(200, { bid: 99, bidSize: 1 })],
      [],
      0,
    ],
    ['either side is enough', [book(0), book(100), book(200, { askSize: 2 })], [], 0.5],
  ])('%s', (_, books, trades, expected) => {
    expect(churn(books, trades, NO_CUT, -1, 0.5)).toBe(expected);
  });

  test('a step belongs to the window in which it ends, and none crosses a cut', () => {
    const books = [book(0), book(100, { bidSize: 1 }), book(200, { bidSize: 1 })];
    expect(churn(books, [], NO_CUT, 100, 0.5)).toBe(0);
    expect(churn(books, [], NO_CUT, 99, 0.5)).toBe(0.5);
    expect(churn(books, [], 0, -1, 0.5)).toBe(0);
    expect(churn(books, [], 100, -1, 0.5)).toBeNull();
  });
});

describe('queue fragility', () => {
  const session = { depths: Array<number>(30).fill(40), spreads: Array<number>(30).fill(2) };

  test('thin, wide and churn are weighted 0.40, 0.25, 0.35', () => {
    // thin = 1 − 10 / 40 = 0.75; wide = (6 / 2 − 1) / 4 = 0.5; 0.40 × 0.75 + 0.35 × 0.2 + 0.25 × 0.5 = 0.495
    expect(fragility(10, 6, 0.2, session, POLICY_NUMBERS)).toEqual({ thin: 0.75, churn: 0.2, wide: 0.5, score: 0.495, measured: true });
  });

  test('a deeper and tighter book than the median is neither thin nor wide', () => {
    expect(fragility(80, 1, 0, session, POLICY_NUMBERS)).toMatchObject({ thin: 0, wide: 0, score: 0 });
  });

  test('a spread of five medians and more is as wide as it gets', () => {
    expect(fragility(40, 20, 0, session, POLICY_NUMBERS)).toMatchObject({ wide: 1, score: 0.25 });
  });

  test('medians need 30 samples; before that only churn counts', () => {
    const short = { depths: session.depths.slice(1), spreads: session.spreads.slice(1) };
    expect(fragility(10, 6, 0.2, short, POLICY_NUMBERS)).toEqual({ thin: 0, churn: 0.2, wide: 0, score: 0.07, measured: false });
  });
});
