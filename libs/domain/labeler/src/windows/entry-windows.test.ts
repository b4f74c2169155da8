import type { TradeEvent, ContextEvent } from '@market-state/market-data';
import { SortedWindow } from '../numbers/samples';
import { Ring } from './ring';
import { TradeWindow, depth, imbalance, ContextWindow } from './entry-windows';

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

describe('order-book imbalance', () => {
  test.each([
    // imb_1 = (3 − 1) / (3 + 1)
    [[3], [1], 1, 0.5],
    // B_3 = 1 + 2 + 3 = 6, A_3 = 2 + 2 + 2 = 6
    [[1, 2, 3, 9], [2, 2, 2, 9], 3, 0],
    // fewer levels than k: B_5 = 1, A_5 = 1 + 1 = 2; −1 / 3 to 6 decimals
    [[1], [1, 1], 5, -0.333333],
    [[0.5], [], 1, 1],
  ])('bids %j against asks %j over %d levels is %d', (bids, asks, levels, expected) => {
    expect(imbalance(bids, asks, levels)).toBe(expected);
  });

  test('no size at all has no imbalance', () => {
    expect(imbalance([0], [0], 1)).toBeNull();
  });

  test('depth sums the first levels, best first', () => {
    expect(depth([1, 2, 4, 8], 3)).toBe(7);
    expect(depth([1], 5)).toBe(1);
  });
});

test('a rate of one payment whose interval is unknown ends what was known of the rate per hour', () => {
  const window = new ContextWindow();
  const take = (facts: Partial<ContextEvent>): number | null => {
    window.apply({ kind: 'context', exchangeTsMs: 1, ...facts } as ContextEvent);
    return window.fundingRate;
  };
  expect(take({ fundingRate: '0.0001', venueFundingRate: '0.0008', fundingIntervalHours: 8 })).toBe(0.0001);
  expect(take({ markPrice: '100' })).toBe(0.0001);
  expect(take({ venueFundingRate: '0.0008' })).toBeNull();
});
