import { type Bucket, takeFrom } from './pace';

const RATE = { perSecond: 10, burst: 4 };

it('lets in the burst at once, then one for each interval, and says how long to wait', () => {
  const bucket: Bucket = { fullAtMs: 0 };
  const nowMs = 1_000_000;
  expect([1, 2, 3, 4].map(() => takeFrom(bucket, RATE, nowMs, 1).taken)).toEqual([1, 1, 1, 1]);
  expect(takeFrom(bucket, RATE, nowMs, 1)).toMatchObject({ taken: 0, free: 0, waitMs: 100 });
  expect(takeFrom(bucket, RATE, nowMs + 99, 1)).toMatchObject({ taken: 0, waitMs: 1 });
  expect(takeFrom(bucket, RATE, nowMs + 100, 1)).toMatchObject({ taken: 1, free: 0, waitMs: 100 });
});

it('gives several at once, never more than there are', () => {
  expect(takeFrom({ fullAtMs: 0 }, RATE, 1_000, 9)).toMatchObject({ taken: 4, free: 0, firstSlotMs: 100 });
});

it('forgets a clock that was far ahead', () => {
  const bucket: Bucket = { fullAtMs: 9_000_000 };
  expect(takeFrom(bucket, RATE, 1_000, 1)).toMatchObject({ taken: 0, waitMs: 100 });
});
