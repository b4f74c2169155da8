import { createMetrics } from '@market-state/telemetry';
import { createPace } from './pace';
import { createRefusedCredentials } from './refused-credentials';

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
