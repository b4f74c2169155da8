import type { TradeEvent } from '@market-state/market-data';
import { SortedWindow } from '../numbers/sorted-window';
import { Cuts } from './cuts';
import { Ring } from './ring';
import { TradeWindow } from './trade-window';

describe('ring', () => {
  test('keeps the newest up to its limit, oldest first', () => {
    const ring = new Ring([1], 3);
    for (const value of [2, 3, 4]) ring.push(value);
    expect([...ring]).toEqual([2, 3, 4]);
    expect(ring.last(2)).toEqual([3, 4]);
    expect(ring.last(0)).toEqual([]);
    expect([ring.at(0), ring.at(3), ring.at(-1), ring.newest(), ring.newest(1)]).toEqual([2, undefined, undefined, 4, 3]);
  });

  test('stays itself over many shifts', () => {
    const ring = new Ring<number>([], 10);
    for (let value = 0; value < 10_000; value++) ring.push(value);
    expect([...ring]).toEqual([9990, 9991, 9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999]);
    expect(ring.shift()).toBe(9990);
    expect(new Ring().shift()).toBeUndefined();
  });
});

describe('cuts', () => {
  test('a window holds what follows the last cut before its end', () => {
    const cuts = new Cuts();
    cuts.add('book', 500);
    cuts.add('book', 900);
    cuts.add('book', 700);
    expect(cuts.windowStart('book', 1000, 600)).toBe(900);
    expect(cuts.windowStart('book', 900, 600)).toBe(700);
    expect(cuts.windowStart('book', 1000, 50)).toBe(950);
    expect(cuts.windowStart('trade', 1000, 600)).toBe(400);
    expect(cuts.newestBefore('trade', 1000)).toBe(Number.NEGATIVE_INFINITY);
  });

  test('a cut parts what is stamped at it from what comes after', () => {
    const cuts = new Cuts({ book: [500] });
    expect([cuts.parts('book', 500, 501), cuts.parts('book', 499, 500), cuts.parts('book', 501, 900), cuts.parts('trade', 0, 900)]).toEqual(
      [true, false, false, false],
    );
  });

  test('the newest cut before the horizon is remembered for windows longer than it', () => {
    const cuts = new Cuts();
    for (const instantMs of [100, 200, 300, 900]) cuts.addAll(instantMs);
    cuts.forget(800);
    expect(cuts.dump().context).toEqual([300, 900]);
  });
});

describe('trade window', () => {
  const trade = (exchangeTsMs: number, size: string): TradeEvent => ({
    kind: 'trade',
    venue: 'test',
    symbol: 'BTCUSD-PERP',
    pass: 0,
    venueId: String(exchangeTsMs),
    exchangeTsMs,
    exchangeTsIsReceiveTime: false,
    receivedTsMs: exchangeTsMs,
    ordinal: 1,
    epoch: 1,
    price: '50',
    size,
    aggressorSide: 'buy',
  });

  test('sizes age into the history when they leave the minute, and trades go after five', () => {
    const window = new TradeWindow(new Ring(), new SortedWindow(2));
    for (const [tsMs, size] of [
      [1, '1'],
      [2, '2'],
      [3, '3'],
      [60_003, '4'],
    ] as const)
      window.apply(trade(tsMs, size), 100);
    window.advance(60_002, 60_000, 60_002 - 300_000);
    expect([...window.agedSizes]).toEqual([1, 2]);
    window.advance(60_003, 60_000, 60_003 - 300_000);
    expect([...window.agedSizes]).toEqual([2, 3]);
    expect(window.records.length).toBe(4);
    window.advance(300_002, 60_000, 2);
    expect([...window.records].map((record) => record.size)).toEqual([3, 4]);
    expect([...window.agedSizes]).toEqual([3, 4]);
    expect([...window.after(3)].map((record) => record.notional)).toEqual([400]);
  });

  test('a notional is size × reference price, or × its own price with none', () => {
    const window = new TradeWindow(new Ring(), new SortedWindow(2));
    window.apply(trade(1, '2'), null);
    expect(window.records.at(0)?.notional).toBe(100);
  });
});
