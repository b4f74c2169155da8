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
