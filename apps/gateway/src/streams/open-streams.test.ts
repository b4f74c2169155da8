import { findPlan, limitsOf } from '@market-state/pricing';
import type { Grant } from '../serving/auth/credentials';
import { createStreamCounts, type StreamCounts } from './open-streams';

function grantOf(tenantId: string, planId: string): Grant {
  const paying = findPlan(planId)?.paying ?? false;
  return {
    kind: 'key',
    keyId: `key_${tenantId}`,
    accountId: null,
    tenantId,
    sandbox: false,
    scopes: new Set(['read']),
    role: null,
    plan: { planId, perSecond: 10, burst: 40, limits: limitsOf(planId), paying },
    hasCeiling: false,
    ownRate: null,
    expiresMs: Number.POSITIVE_INFINITY,
  };
}

/** Opens up to `most` streams; returns how many were admitted. */
function fill(counts: StreamCounts, grant: Grant, kind: 'live' | 'replay', most: number): number {
  for (let opened = 0; opened < most; opened += 1) {
    try {
      counts.enter(grant, kind);
    } catch {
      return opened;
    }
  }
  return most;
}

test.each([
  ['trial', 5, 2],
  ['sandbox', 5, 2],
  ['public_builder', 20, 4],
  ['public_pro', 100, 8],
  ['public_research', 400, 16],
  ['enterprise', 400, 16],
])('a tenant on %s may open %d streams, at most %d of them replays, across all its keys', (planId, streams, replays) => {
  const counts = createStreamCounts();
  const keys = [grantOf('ten_1', planId), { ...grantOf('ten_1', planId), keyId: 'key_other' }] as const;
  expect(fill(counts, keys[0], 'replay', 1_000)).toBe(replays);
  expect(() => counts.enter(keys[1], 'replay')).toThrow(
    expect.objectContaining({ code: 'limit_reached', headers: { 'Retry-After': '5' } }),
  );
  expect(fill(counts, keys[1], 'live', 1_000)).toBe(streams - replays);
  expect(() => counts.enter(keys[0], 'live')).toThrow(expect.objectContaining({ code: 'limit_reached' }));
  expect(fill(counts, grantOf('ten_2', planId), 'live', 1)).toBe(1);
});

test('300 of 1,000 streams of a gateway are kept for plans that pay', () => {
  const counts = createStreamCounts();
  const free = Array.from({ length: 200 }, (_, index) =>
    fill(counts, grantOf(`ten_free_${index}`, index % 2 === 0 ? 'trial' : 'sandbox'), 'live', 5),
  );
  expect(free.reduce((sum, opened) => sum + opened)).toBe(700);
  expect(() => counts.enter(grantOf('ten_free', 'trial'), 'live')).toThrow(
    expect.objectContaining({ code: 'overloaded', headers: { 'Retry-After': '5' } }),
  );
  const paid = Array.from({ length: 20 }, (_, index) => fill(counts, grantOf(`ten_paid_${index}`, 'public_builder'), 'live', 20));
  expect(paid.reduce((sum, opened) => sum + opened)).toBe(300);
  expect(counts.total()).toBe(1_000);
  expect(() => counts.enter(grantOf('ten_paid', 'enterprise'), 'live')).toThrow(expect.objectContaining({ code: 'overloaded' }));
});

test('a stream that ends makes room once, however often it is said to end', () => {
  const counts = createStreamCounts();
  const leave = counts.enter(grantOf('ten_1', 'trial'), 'replay');
  counts.enter(grantOf('ten_1', 'trial'), 'replay');
  leave();
  leave();
  expect(fill(counts, grantOf('ten_1', 'trial'), 'replay', 9)).toBe(1);
  expect(counts.total()).toBe(2);
});
