import { candleColumns, candlesOf, timeframeFor, windowEndAt } from './candles';

const MINUTE_MS = 60_000;
const row = (minute: number, price: string | null) =>
  ({
    open_time_utc: new Date(minute * MINUTE_MS).toISOString(),
    close_time_utc: new Date((minute + 1) * MINUTE_MS).toISOString(),
    ...{ open: price, high: price, low: price, close: price },
  }) as unknown as Parameters<typeof candlesOf>[0][number];

test('a minute without trades has no candle, and the line breaks there', () => {
  const candles = candlesOf([row(0, '10'), row(1, null), row(2, '12')]);
  expect(candles.map(({ openMs, close }) => [openMs, close])).toEqual([
    [0, 10],
    [2 * MINUTE_MS, 12],
  ]);
  expect(candleColumns(candles, true)).toEqual([
    [30_000, 60_000, 150_000],
    [10, null, 12],
  ]);
});

test.each([
  [15, '1m'],
  [60, '1m'],
  [24 * 60, '5m'],
  [7 * 24 * 60, '1h'],
])('%d minutes are drawn with candles of %s', (minutes, tf) => {
  expect(timeframeFor(minutes * MINUTE_MS, 400).tf).toBe(tf);
});

test('an instant belongs to the window that ends at or after it', () => {
  expect([windowEndAt(20_000), windowEndAt(20_001)]).toEqual([20_000, 30_000]);
});
