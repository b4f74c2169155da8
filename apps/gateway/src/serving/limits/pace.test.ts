import { createMetrics } from '@market-state/telemetry';
import { type Bucket, takeFrom, createPace, createRefusedCredentials } from './pace';

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

test('without the store each gateway takes its part of the limit', async () => {
  let nowMs = 0;
  const refused = createRefusedCredentials({
    pace: createPace({ shared: null, gatewayCount: 2, monotonicMs: () => nowMs }),
    rate: { perSecond: 1, burst: 30 },
    metrics: createMetrics('test'),
    monotonicMs: () => nowMs,
  });
  for (let call = 0; call < 15; call += 1) await refused.count('198.51.100.1');
  expect(() => refused.refuseWhileOver('198.51.100.1')).not.toThrow();
  await expect(refused.count('198.51.100.1')).rejects.toMatchObject({ code: 'rate_limited', headers: { 'Retry-After': '2' } });
  expect(() => refused.refuseWhileOver('198.51.100.1')).toThrow(
    expect.objectContaining({ code: 'rate_limited', headers: { 'Retry-After': '2' } }),
  );
  expect(() => refused.refuseWhileOver('198.51.100.2')).not.toThrow();
  nowMs += 2_000;
  expect(() => refused.refuseWhileOver('198.51.100.1')).not.toThrow();
  await refused.count('198.51.100.1');
});
