import type { PlacedEvent } from '@market-state/market-data';
import type { FeedMetrics } from './feed-metrics';
import { createSymbolStatus } from './symbol-status';

const metrics: FeedMetrics = {
  appended: () => undefined,
  rejected: () => undefined,
  phase: () => undefined,
  pass: () => undefined,
  paused: () => undefined,
  memory: () => undefined,
  repaired: () => undefined,
  held: () => undefined,
  missing: () => undefined,
  tookOver: () => undefined,
};

function book(ordinal: number, feedClockMs: number): PlacedEvent {
  return { event: { kind: 'book', ordinal, pass: 1 }, dueFeedClockMs: feedClockMs } as unknown as PlacedEvent;
}

test('a recording serves while its history is being filled, unless memory is full, and again only once it has caught up', () => {
  const serving: boolean[] = [];
  const status = createSymbolStatus('BTCUSD-PERP', metrics, (isServing) => serving.push(isServing));
  const began = () => status.began({ pass: 1, epoch: 1 }, 0, () => ({}) as never);
  began();
  expect(status.snapshot().fillingFromMs).toBeUndefined();
  status.appended([book(1, 5_000), book(2, 6_000)], 3_600_000);
  status.appended([book(3, 7_000)], 3_599_000);
  expect(status.snapshot()).toMatchObject({ phase: 'priming', fillingFromMs: 5_000, view: { feedClockMs: 7_000 } });
  status.paused('consumers');
  expect(serving.at(-1)).toBe(true);
  status.paused('memory');
  expect(serving.at(-1)).toBe(false);
  status.paused(undefined);
  status.appended([book(4, 8_000)], 0);
  expect(status.snapshot()).toMatchObject({ phase: 'playing', fillingFromMs: undefined });
  expect(serving.at(-1)).toBe(true);
  status.appended([book(5, 9_000)], 5_000);
  expect(status.snapshot()).toMatchObject({ phase: 'priming', fillingFromMs: undefined });
  expect(serving.at(-1)).toBe(false);
  status.stopped();
  began();
  status.appended([book(6, 9_500)], 60_000);
  expect(status.snapshot().fillingFromMs).toBe(9_500);
});

test('a live market that lags fills no history', () => {
  const serving: boolean[] = [];
  const status = createSymbolStatus('SIMUSD-PERP', metrics, (isServing) => serving.push(isServing), 'live');
  status.began({ pass: 0, epoch: 1 }, 0, () => ({}) as never);
  status.appended([book(1, 5_000)], 60_000);
  expect(status.snapshot().fillingFromMs).toBeUndefined();
  expect(serving).toEqual([]);
});

test('what is made again, which lies behind the log, is shown only once it has met the end of the log', () => {
  const status = createSymbolStatus('BTCUSD-PERP', metrics, () => undefined);
  status.regenerated(book(1, 1_000));
  expect(status.snapshot().view.book).toBeUndefined();
  status.regenerated(book(2, 2_000));
  status.began({ pass: 1, epoch: 1 }, 2, () => ({}) as never);
  expect(status.snapshot().view).toMatchObject({ book: { event: { ordinal: 2 } }, feedClockMs: 2_000 });
  status.stopped();
  status.regenerated(book(1, 1_000));
  expect(status.snapshot().view).toMatchObject({ book: { event: { ordinal: 2 } }, feedClockMs: 2_000 });
});
