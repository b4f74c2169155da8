import { Cuts } from '../sources/gaps';
import { moveBetween, packetAt, returnBetween, type PricePoint, logReturn, priceMoveBps, realizedVolatility } from './observe';

const EARLIER: PricePoint = { mid: 20_000, bookTsMs: 1_000, fresh: true };
const LATER: PricePoint = { mid: 20_010, bookTsMs: 61_000, fresh: true };

describe('two mids', () => {
  test('with fresh books and no book cut between are a move of 10,000 × (20,010 / 20,000 − 1) = 5 bps', () => {
    expect(moveBetween(EARLIER, LATER, new Cuts())).toBe(5);
    // ln 1.0005 = 0.0005 − 0.0005² / 2 + 0.0005³ / 3 = 0.0005 − 0.000000125 + 0.0000000000417 = 0.000499875042
    expect(returnBetween(EARLIER, LATER, new Cuts())).toBe(0.000499875042);
  });

  test.each<[string, PricePoint | undefined, PricePoint, Cuts, boolean]>([
    ['no packet there', undefined, LATER, new Cuts(), false],
    ['the earlier book was stale', { ...EARLIER, fresh: false }, LATER, new Cuts(), false],
    ['this book is stale', EARLIER, { ...LATER, fresh: false }, new Cuts(), false],
    ['the earlier packet had no book', { mid: null, bookTsMs: null, fresh: false }, LATER, new Cuts(), false],
    ['this packet has no book', EARLIER, { mid: null, bookTsMs: null, fresh: false }, new Cuts(), false],
    ['a book cut between', EARLIER, LATER, new Cuts({ book: [30_000] }), false],
    ['a cut at the earlier book, which it ends', EARLIER, LATER, new Cuts({ book: [1_000] }), false],
    ['a cut 1 ms before this book', EARLIER, LATER, new Cuts({ book: [60_999] }), false],
    ['a cut at this book, which stands before it', EARLIER, LATER, new Cuts({ book: [61_000] }), true],
    ['a cut before the earlier book', EARLIER, LATER, new Cuts({ book: [999] }), true],
    ['a cut of another channel', EARLIER, LATER, new Cuts({ trade: [30_000] }), true],
    ['one book that stood in both', EARLIER, { ...LATER, bookTsMs: 1_000 }, new Cuts({ book: [1_000] }), true],
  ])('%s', (_, earlier, later, cuts, comparable) => {
    expect([moveBetween(earlier, later, cuts) !== null, returnBetween(earlier, later, cuts) !== null]).toEqual([comparable, comparable]);
  });
});

test('the packet of an instant is found by its window end among the newest, not by its place', () => {
  const traces = [10_000, 20_000, 40_000, 50_000].map((windowEndMs) => ({ windowEndMs }));
  const history = { last: (count: number) => traces.slice(-count) } as Parameters<typeof packetAt>[0];
  expect(
    [packetAt(history, 20_000, 6), packetAt(history, 30_000, 6), packetAt(history, 20_000, 2)].map((trace) => trace?.windowEndMs),
  ).toEqual([20_000, undefined, undefined]);
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
