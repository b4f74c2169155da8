import type { BookEvent } from '@market-state/market-data';
import { SecondSeries } from './second-series';

/** Bids ten times as large as asks; spread 2. */
const book = (ms: number, mid: number): BookEvent =>
  ({
    kind: 'book',
    exchangeTsMs: ms,
    bids: [{ price: String(mid - 1), size: '10' }],
    asks: [{ price: String(mid + 1), size: '1' }],
  }) as unknown as BookEvent;

/** A book each second, from second 10 to the one given, of mid 100 + second. */
function rising(untilSecond: number): SecondSeries {
  const series = new SecondSeries();
  for (let second = 10; second <= untilSecond; second++) series.addBook(book(second * 1_000, 100 + second));
  return series;
}

test('volatility is the root of the sum of squared log returns between whole seconds', () => {
  const series = new SecondSeries();
  series.addBook(book(9_500, 100));
  series.addBook(book(10_400, 101));
  series.addBook(book(10_700, 102));
  series.addBook(book(20_000, 102));
  for (let second = 21; second <= 69; second++) series.addBook(book(second * 1_000, 103));
  expect(series.isPast(69_000)).toBe(false);
  series.addBook(book(70_001, 200));
  expect(series.isPast(70_000)).toBe(true);
  const whole = Math.sqrt(Math.log(102 / 100) ** 2 + Math.log(103 / 102) ** 2);
  expect(series.volatilities(70_000, [10, 59, 60, 61])).toEqual([
    0,
    expect.closeTo(Math.abs(Math.log(103 / 102)), 12),
    expect.closeTo(whole, 12),
    NaN,
  ]);
});

test('a span has the sides of the book, its depth and spread, the absolute return, and the trades after its start', () => {
  const series = rising(20);
  series.addTrade(12_000, 100, 'buy');
  series.addTrade(12_001, 30, 'buy');
  series.addTrade(14_000, 10, 'sell');
  series.addTrade(14_001, 100, 'sell');
  const span = series.market(14_000, 2);
  const [bids, asks] = [[10 * 112, 10 * 113] as const, [114, 115] as const];
  expect(span?.imbalance).toBeCloseTo(((bids[0] - asks[0]) / (bids[0] + asks[0]) + (bids[1] - asks[1]) / (bids[1] + asks[1])) / 2, 12);
  expect(span?.notional).toBe(bids[0] + asks[0]);
  expect(span?.widestSpreadBps).toBeCloseTo((2 / 113) * 10_000, 9);
  expect(span?.move).toBeCloseTo(Math.log(114 / 112), 12);
  expect(span?.netTraded).toBe(0.5);
  expect(series.market(18_000, 2)?.netTraded).toBeNaN();
});

test('a seam cuts every span over it, and a silence over ten seconds every span with a second of it', () => {
  const series = rising(20);
  series.cut();
  for (let second = 21; second <= 60; second++) series.addBook(book(second * 1_000, 200));
  expect(series.volatilities(30_000, [9, 10])).toEqual([0, NaN]);
  expect(series.market(19_000, 5)).toBeDefined();
  expect(series.market(23_000, 5)).toBeUndefined();
  series.addBook(book(71_000, 200));
  series.addBook(book(90_000, 200));
  expect(series.volatilities(71_000, [11])).toEqual([0]);
  expect(series.volatilities(82_000, [1])).toEqual([NaN]);
});

test('a book older than the newest, or without a side, is skipped', () => {
  const series = rising(20);
  series.addBook(book(15_000, 9_000));
  series.addBook({ ...book(20_500, 9_000), asks: [] });
  series.addBook(book(22_000, 120));
  expect(series.volatilities(21_000, [1])).toEqual([0]);
});

test('the end of the log completes the second of the newest book', () => {
  const series = rising(20);
  expect(series.isPast(20_000)).toBe(false);
  series.end();
  expect(series.isPast(20_000)).toBe(true);
});
