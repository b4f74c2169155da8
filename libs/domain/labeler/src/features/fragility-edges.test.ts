import { POLICY_NUMBERS } from '../policy/numbers';
import type { BookRecord, TradeRecord } from '../windows/entry-windows';
import { churn, fragility, spreadBps } from './features';

const book = (tsMs: number, bidSize: number, askSize: number, bid = 100, ask = 101): BookRecord => ({
  tsMs,
  bid,
  ask,
  bidSize,
  askSize,
  imbalance: 0,
  depth: 0,
});
const trade = (tsMs: number, price: number, size: number, buy = true): TradeRecord => ({ tsMs, price, size, buy, notional: 0 });
const NO_CUT = Number.NEGATIVE_INFINITY;

describe('churn of one step, (0, 100]', () => {
  test.each<[string, BookRecord, readonly TradeRecord[], number | null]>([
    ['the best bid rose: not counted', book(100, 1, 10, 100.5), [], null],
    ['the best ask fell: not counted', book(100, 1, 10, 100, 100.5), [], null],
    ['both sizes grew', book(100, 11, 12), [], 0],
    ['both stood still', book(100, 10, 10), [], 0],
    ['the bid fell by exactly half: 10 to 5', book(100, 5, 10), [], 1],
    ['the bid fell by a little less: 10 to 5.000001', book(100, 5.000001, 10), [], 0],
    ['the ask fell by exactly half', book(100, 10, 5), [], 1],
    ['both fell, one step', book(100, 1, 1), [], 1],
    ['the fall was traded: 5 of 5', book(100, 5, 10), [trade(50, 100, 2), trade(100, 100, 3)], 0],
    ['it was traded by buyers or sellers alike', book(100, 5, 10), [trade(50, 100, 2, true), trade(60, 100, 3, false)], 0],
    ['less was traded than fell: 4.999999 of 5', book(100, 5, 10), [trade(50, 100, 4.999999)], 1],
    ['trades at the other side’s price do not explain it', book(100, 10, 5), [trade(50, 100, 9)], 1],
    ['a trade stamped at the earlier book came before', book(100, 5, 10), [trade(0, 100, 5)], 1],
    ['a trade stamped at the later book belongs to it', book(100, 5, 10), [trade(100, 100, 5)], 0],
    ['a trade after it does not', book(100, 5, 10), [trade(101, 100, 5)], 1],
    ['one side explained, the other not', book(100, 5, 5), [trade(50, 100, 5)], 1],
  ])('%s', (_, later, trades, expected) => {
    expect(churn([book(0, 10, 10), later], trades, NO_CUT, -1, 0.5)).toBe(expected);
  });

  test('is the share of the counted steps: one of three is 0.333333', () => {
    const books = [book(0, 10, 10), book(100, 4, 10), book(200, 4, 10), book(300, 3, 9), book(400, 1, 9, 99)];
    expect(churn(books, [], NO_CUT, -1, 0.5)).toBe(0.333333);
  });
});

describe('thin and wide against session medians', () => {
  const session = (depth: number, spread: number, total = 30) => ({
    depths: Array<number>(total).fill(depth),
    spreads: Array<number>(total).fill(spread),
  });
  const read = (depth: number, spread: number, medianDepth = 40, medianSpread = 2) =>
    fragility(depth, spread, 0, session(medianDepth, medianSpread), POLICY_NUMBERS);

  test.each([
    // thin = 1 − depth / 40
    [40, 0],
    [39, 0.025],
    [20, 0.5],
    [0.04, 0.999],
    [41, 0],
  ])('depth %d against a median of 40 is thin by %d', (depth, thin) => {
    expect(read(depth, 2).thin).toBe(thin);
  });

  test.each([
    // wide = (spread / 2 − 1) / 4
    [2, 0],
    [2.4, 0.05],
    [4, 0.25],
    [10, 1],
    [9.92, 0.99],
    [12, 1],
    [1, 0],
  ])('a spread of %d against a median of 2 is wide by %d', (spread, wide) => {
    expect(read(40, spread).wide).toBe(wide);
  });

  test('the median is nearest rank: of 30 values the 15th smallest', () => {
    const depths = Array.from({ length: 30 }, (_, i) => i + 1);
    // thin = 1 − 6 / 15
    expect(fragility(6, 1, 0, { depths, spreads: depths }, POLICY_NUMBERS).thin).toBe(0.6);
  });

  test('a median of 0 measures nothing', () => {
    expect(read(10, 3, 0, 0)).toMatchObject({ thin: 0, wide: 0, measured: true });
  });

  test('each weight alone: 0.40 thin, 0.35 churn, 0.25 wide; all three make 1', () => {
    expect([read(0, 2).score, fragility(40, 2, 1, session(40, 2), POLICY_NUMBERS).score, read(40, 10).score]).toEqual([0.4, 0.35, 0.25]);
    expect(fragility(0, 10, 1, session(40, 2), POLICY_NUMBERS).score).toBe(1);
  });

  test('29 packets are too few, 30 are enough', () => {
    expect(fragility(20, 10, 0, session(40, 2, 29), POLICY_NUMBERS)).toMatchObject({ score: 0, measured: false });
    // 0.40 × 0.5 + 0.25 × 1
    expect(fragility(20, 10, 0, session(40, 2, 30), POLICY_NUMBERS)).toMatchObject({ score: 0.45, measured: true });
  });
});

test('spread_bps of a book whose prices meet is 0', () => {
  expect(spreadBps(100, 100, 100)).toBe(0);
});
