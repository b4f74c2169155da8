import type { IncomingMessage } from 'node:http';
import { silentLogger } from '@market-state/logging';
import { limitsOf, rateOfKey } from '@market-state/pricing';
import { createMetrics } from '@market-state/telemetry';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import { createRequestLimits, type RequestLimits } from '../src/serving/admission';
import type { Grant } from '../src/serving/auth/credentials';
import type { Problem } from '../src/serving/errors/problem';
import { connectBuckets, createPace, type Pace, type SharedBuckets } from '../src/serving/limits/pace';
import { operationById } from '../src/serving/openapi/operations';
import { breakableTcp } from './stand-in/breakable-tcp';

const RATE = { perSecond: 50, burst: 200 };
/** Longer than any pause of a busy machine: without the store's answer each gateway admits its own part. */
const ANSWER_MS_MAX = 60_000;

describe('rate limits over gateways', () => {
  let stores: TestStores;
  let nowMs = 1_700_000_000_000;
  const open: SharedBuckets[] = [];
  let bucketTotal = 0;
  beforeAll(async () => {
    stores = await startStores({ services: [] });
  });
  afterAll(() => stores.stop());
  afterEach(async () => {
    await Promise.all(open.splice(0).map((buckets) => buckets.close()));
  });

  const newKey = (): string => `rate:{ten_${(bucketTotal += 1)}}:metered`;

  async function gateway(gatewayCount = 1, redisUrl = stores.redisUrl): Promise<{ readonly pace: Pace; readonly shared: SharedBuckets }> {
    const clockMs = (): number => nowMs;
    const shared = connectBuckets({ redisUrl, logger: silentLogger(), monotonicMs: clockMs, clockMs, answerMsMax: ANSWER_MS_MAX });
    open.push(shared);
    await waitUntil('the store', () => shared.isThere());
    return { pace: createPace({ shared, gatewayCount, monotonicMs: clockMs }), shared };
  }

  it('admits at most burst + rate x time + 1 over three gateways at twice the limit, and at least 99 % of that', async () => {
    const gateways = await Promise.all([gateway(), gateway(), gateway()]);
    const key = newKey();
    const seconds = 10;
    const started = nowMs;
    let admitted = 0;
    const offered = 2 * (RATE.burst + RATE.perSecond * seconds);
    for (let call = 0; call < offered; call += 1) {
      nowMs = started + Math.floor((call * seconds * 1_000) / offered);
      const { pace } = gateways[(call * 7) % 3] ?? gateways[0];
      const standing = pace.admitNow(key, RATE) ?? (await pace.admit(key, RATE));
      if (standing.admitted) admitted += 1;
    }
    const allowed = RATE.burst + (RATE.perSecond * (nowMs - started)) / 1_000;
    expect(admitted).toBeLessThanOrEqual(allowed + 1);
    expect(admitted).toBeGreaterThanOrEqual(0.99 * allowed);
  });

  it('admits no more than the burst at once after a pause in which gateways held calls', async () => {
    const [a, b] = [await gateway(), await gateway()];
    const key = newKey();
    for (const { pace } of [a, b]) expect((await pace.admit(key, RATE)).admitted).toBe(true);
    nowMs += 400;
    let admitted = 0;
    for (let call = 0; call < 500; call += 1) if ((await (call % 2 === 0 ? a : b).pace.admit(key, RATE)).admitted) admitted += 1;
    expect(admitted).toBeLessThanOrEqual(RATE.burst + 1);
    expect(admitted).toBeGreaterThanOrEqual(0.99 * RATE.burst);
  });

  it('says when to come back, and lets in then', async () => {
    const { pace } = await gateway();
    const key = newKey();
    const slow = { perSecond: 1, burst: 2 };
    expect(await pace.admit(key, slow)).toEqual({ admitted: true, remaining: 1, growsInS: 1 });
    expect(await pace.admit(key, slow)).toEqual({ admitted: true, remaining: 0, growsInS: 1 });
    expect(pace.refusedNow(key, slow)).toBeNull();
    const refused = await pace.admit(key, slow);
    expect(refused).toEqual({ admitted: false, remaining: 0, growsInS: 1 });
    expect(pace.refusedNow(key, slow)).toEqual(refused);
    nowMs += refused.growsInS * 1_000;
    expect(pace.refusedNow(key, slow)).toBeNull();
    expect((await pace.admit(key, slow)).admitted).toBe(true);
  });

  it('lets in most calls of a busy tenant without asking the store', async () => {
    const { pace } = await gateway();
    const key = newKey();
    const fast = { perSecond: 500, burst: 2_000 };
    let requested = 0;
    for (let call = 0; call < 300; call += 1) {
      if (pace.admitNow(key, fast) !== null) continue;
      requested += 1;
      await pace.admit(key, fast);
    }
    expect(requested).toBeLessThan(30);
  });

  it("admits by a key's own rate over two gateways, and takes nothing from the plan for what the key may not make", async () => {
    const tenantId = newKey();
    const plan = { planId: 'public_pro', ...RATE, limits: limitsOf('public_pro'), paying: true };
    const ownRate = { ...rateOfKey(120), bucket: 'key_1/120' };
    const grant = { tenantId, plan, ownRate } as Grant;
    const other = { tenantId, plan, ownRate: null } as unknown as Grant;
    const gateways = await Promise.all(
      [0, 1].map(async () => {
        const { pace } = await gateway();
        return createRequestLimits({
          pace,
          metrics: createMetrics('gateway'),
          publicRate: RATE,
          staticRate: RATE,
          addressOf: () => '127.0.0.1',
        });
      }),
    );
    const operation = operationById('getLatest');
    const call = async (of: Grant, at: number): Promise<string> => {
      const { admit, admitNow, refuseNow } = gateways[at % 2] as RequestLimits;
      const req = {} as IncomingMessage;
      const refused = refuseNow(operation, of);
      if (refused !== null) return refused.headers['RateLimit-Policy'] ?? '';
      const headers = admitNow(operation, of, req) ?? (await admit(operation, of, req).catch((thrown: Problem) => thrown.headers));
      return Array.isArray(headers) ? 'admitted' : ((headers as Record<string, string>)['RateLimit-Policy'] ?? '');
    };
    let admitted = 0;
    const seconds = 10;
    for (let at = 0; at < 200; at += 1, nowMs += (seconds * 1_000) / 200) {
      const reported = await call(grant, at);
      if (reported === 'admitted') admitted += 1;
      else expect(reported).toBe('"key";q=120;w=60');
    }
    const allowed = ownRate.burst + ownRate.perSecond * seconds;
    expect(admitted).toBeLessThanOrEqual(allowed + 1);
    expect(admitted).toBeGreaterThanOrEqual(allowed - 1);
    nowMs += 60_000;
    for (let at = 0; at < 150; at += 1) await call(grant, at);
    let others = 0;
    for (let at = 0; at < RATE.burst; at += 1) if ((await call(other, at)) === 'admitted') others += 1;
    // Refused calls consumed nothing; each gateway may have prefetched a share.
    expect(others).toBeGreaterThanOrEqual(RATE.burst - ownRate.burst - 2 * 25);
  });

  it('keeps a part of the limit for each gateway in memory while the store is away, and shares again when it is back', async () => {
    const way = await breakableTcp(stores.redisUrl);
    const { pace, shared } = await gateway(2, way.url);
    const key = newKey();
    const rate = { perSecond: 0.1, burst: 10 };
    expect((await pace.admit(key, rate)).remaining).toBe(9);
    way.cut();
    await waitUntil('the store is gone', () => !shared.isThere());
    const standings = [];
    for (let call = 0; call < 20; call += 1) standings.push((await pace.admit(key, rate)).admitted);
    expect(standings.filter(Boolean)).toHaveLength(5);
    expect(pace.refusedNow(key, rate)).toMatchObject({ admitted: false });
    expect(pace.refusedNow(newKey(), rate)).toBeNull();
    way.repair();
    await waitUntil('the store again', () => {
      nowMs += 1_000;
      return shared.isThere();
    });
    expect((await pace.admit(newKey(), rate)).remaining).toBe(9);
    await way.close();
  });
});
