import { POLICY_NUMBERS } from '../policy/numbers';
import type { BookRecord } from '../windows/entry-windows';
import { booksStamped, heldBooks, movementBps, signedFlow, sizesBySide, type StateSpan } from './state-window';

const T = 1_000_000;
const MINUTE = POLICY_NUMBERS.minimums.held_ms;
const SPAN: StateSpan = { startMs: T - 180_000, windowEndMs: T, cutMs: Number.NEGATIVE_INFINITY, limitMs: 5_000 };

function book(agoMs: number, fields: Partial<BookRecord> = {}): BookRecord {
  return { tsMs: T - agoMs, bid: 100, ask: 101, bidSize: 1, askSize: 1, imbalance: 0.5, depth: 10, ...fields };
}

const held = (books: readonly BookRecord[], span: Partial<StateSpan> = {}) => heldBooks(books, { ...SPAN, ...span }, MINUTE);

describe('books weigh while they are in force', () => {
  test.each<[string, readonly BookRecord[], Partial<StateSpan>, number]>([
    ['to T', [book(3_000)], {}, 3_000],
    ['no longer than the limit', [book(50_000)], {}, 5_000],
    ['a longer limit that holds at T lets them weigh longer', [book(50_000)], { limitMs: 20_000 }, 20_000],
    ['to the next book', [book(12_000), book(9_000), book(8_000)], {}, 3_000 + 1_000 + 5_000],
    ['a book of one stamp with the next not at all', [book(8_000), book(8_000)], {}, 5_000],
    ['from T − 180 s on', [book(182_000), book(100_000)], {}, 3_000 + 5_000],
    ['not if the limit ends before T − 180 s', [book(185_000)], {}, 0],
    ['not if they lie before the cut', [book(12_000), book(9_000)], { cutMs: T - 12_000 }, 5_000],
    ['not one stamped T', [book(0)], {}, 0],
    ['not where there are none', [], {}, 0],
  ])('%s', (_name, books, span, heldMs) => {
    expect(held(books, span).heldMs).toBe(heldMs);
  });

  test('m180 counts what is missing of the first minute as balanced, and no more', () => {
    // 0.5 × 5 s of 60 s
    expect(held([book(5_000)]).imbalanceMean).toBe(0.041667);
    const steady = (seconds: number) => Array.from({ length: seconds }, (_, index) => book((seconds - index) * 1_000));
    expect(held(steady(30)).imbalanceMean).toBe(0.25);
    expect(held(steady(60)).imbalanceMean).toBe(0.5);
    expect(held(steady(170)).imbalanceMean).toBe(0.5);
    // (0.8 × 90 − 0.4 × 30) / 120
    const turned = Array.from({ length: 120 }, (_, index) => book((120 - index) * 1_000, { imbalance: index < 90 ? 0.8 : -0.4 }));
    expect(held(turned).imbalanceMean).toBe(0.5);
  });

  test('depth_mean is their mean depth alone, not rounded; 0 where nothing is held', () => {
    // (7 × 2 s + 10 × 1 s) / 3 s
    expect(held([book(3_000, { depth: 7 }), book(1_000, { depth: 10 })]).depthMean).toBe((7 * 2_000 + 10 * 1_000) / 3_000);
    expect(held([]).depthMean).toBe(0);
  });
});

describe('movement_bps', () => {
  const at = (agoMs: number, bid: number) => book(agoMs, { bid, ask: bid + 2 });
  const of = (books: readonly BookRecord[], span: Partial<StateSpan> = {}) => movementBps(books, { ...SPAN, ...span });

  test.each<[string, readonly BookRecord[], Partial<StateSpan>, number]>([
    ['is the range of mid, up or down', [at(90_000, 99), at(50_000, 100), at(10_000, 98)], {}, 202.020202],
    ['of one book it is 0', [at(90_000, 99)], {}, 0],
    ['of none it is 0', [], {}, 0],
    // 101 / 100: in force at T − 180 s still, at its limit to the millisecond
    ['reads the book in force at T − 180 s', [at(185_000, 99), at(90_000, 100)], {}, 100],
    ['not one past its limit then', [at(185_001, 99), at(90_000, 100)], {}, 0],
    ['nor one that another had replaced', [at(184_000, 99), at(180_000, 100), at(90_000, 100)], {}, 0],
    ['nor one before the cut', [at(90_000, 99), at(50_000, 100)], { cutMs: T - 90_000 }, 0],
    ['a stale book that is stamped in the window counts', [at(90_000, 99), at(1_000, 100)], {}, 100],
  ])('%s', (_name, books, span, expected) => {
    expect(of(books, span)).toBe(expected);
  });
});

test('books count by their stamps, in (T − 180 s, T] after the cut', () => {
  const books = [book(190_000), book(180_000), book(179_999), book(50_000), book(0)];
  expect([booksStamped(books, SPAN), booksStamped(books, { ...SPAN, cutMs: T - 50_000 }), booksStamped([], SPAN)]).toEqual([3, 1, 0]);
});

describe('signed flow', () => {
  test.each([
    // against the full size until trades reach it
    [{ buys: 3, sells: 0 }, 12, 0.25],
    [{ buys: 0, sells: 12 }, 12, -1],
    [{ buys: 10, sells: 30 }, 12, -0.5],
    [{ buys: 2, sells: 2 }, 12, 0],
    [{ buys: 0, sells: 0 }, 12, 0],
  ])('of %j against %d is %d', (sizes, fullSize, expected) => {
    expect(signedFlow(sizes, fullSize)).toBe(expected);
  });

  test('without depth there is nothing to measure against', () => {
    expect(signedFlow({ buys: 1, sells: 0 }, 0)).toBeNull();
  });

  test('sizes are summed by side', () => {
    const trade = (buy: boolean, size: number) => ({ tsMs: T, price: 100, size, buy, notional: size });
    expect(sizesBySide([trade(true, 1), trade(false, 2), trade(true, 4)])).toEqual({ buys: 5, sells: 2 });
  });
});
