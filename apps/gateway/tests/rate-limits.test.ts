import { silentLogger } from '@market-state/logging';
import { hasRedisServer, type RedisCluster, startRedisCluster, startStores, type TestStores, waitUntil } from '@market-state/testing';
import { createPace, type Pace } from '../src/serving/limits/pace';
import { connectBuckets, type SharedBuckets } from '../src/serving/limits/shared-buckets';
import { breakableTcp } from './stand-in/breakable-tcp';

/** Registered and counted as skipped where there is no redis-server. */
const whereThereIsRedis = hasRedisServer ? describe : describe.skip;
const RATE = { perSecond: 50, burst: 200 };

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

  async function gateway(
    clock: 'given' | 'own',
    gatewayCount = 1,
    redisUrl = stores.redisUrl,
  ): Promise<{ readonly pace: Pace; readonly shared: SharedBuckets }> {
    const monotonicMs = clock === 'given' ? () => nowMs : () => performance.now();
    const shared = connectBuckets({
      redisUrl,
      logger: silentLogger(),
      monotonicMs,
      ...(clock === 'given' ? { clockMs: () => nowMs } : {}),
    });
    open.push(shared);
    await waitUntil('the store', () => shared.isThere());
    return { pace: createPace({ shared, gatewayCount, monotonicMs }), shared };
  }

  it('admits at most burst + rate x time + 1 over three gateways at twice the limit, and at least 99 % of that', async () => {
    const gateways = await Promise.all([gateway('given'), gateway('given'), gateway('given')]);
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
    const [a, b] = [await gateway('given'), await gateway('given')];
    const key = newKey();
    for (const { pace } of [a, b]) expect((await pace.admit(key, RATE)).admitted).toBe(true);
    nowMs += 400;
    let admitted = 0;
    for (let call = 0; call < 500; call += 1) if ((await (call % 2 === 0 ? a : b).pace.admit(key, RATE)).admitted) admitted += 1;
    expect(admitted).toBeLessThanOrEqual(RATE.burst + 1);
    expect(admitted).toBeGreaterThanOrEqual(0.99 * RATE.burst);
  });

  it('says when to come back, and lets in then', async () => {
    const { pace } = await gateway('given');
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
    const { pace } = await gateway('own');
    const key = newKey();
    const fast = { perSecond: 500, burst: 2_000 };
    let asked = 0;
    for (let call = 0; call < 300; call += 1) {
      if (pace.admitNow(key, fast) !== null) continue;
      asked += 1;
      await pace.admit(key, fast);
    }
    expect(asked).toBeLessThan(30);
  });

  it('keeps a part of the limit for each gateway in memory while the store is away, and shares again when it is back', async () => {
    const way = await breakableTcp(stores.redisUrl);
    const { pace, shared } = await gateway('own', 2, way.url);
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
    const mendedMs = performance.now();
    way.mend();
    await waitUntil('the store again', () => shared.isThere());
    expect(performance.now() - mendedMs).toBeLessThan(5_000);
    expect((await pace.admit(newKey(), rate)).remaining).toBe(9);
    await way.close();
  });
});

whereThereIsRedis('rate limits in a Redis Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());

  it('shares buckets on several nodes, counts in memory while one of them is away, and shares again once its replica took over', async () => {
    const connect = () => connectBuckets({ redisUrl: cluster.url, logger: silentLogger(), monotonicMs: () => performance.now() });
    const [one, other] = [connect(), connect()];
    await waitUntil('the cluster', () => one.isThere() && other.isThere(), 60_000);
    const keys = Array.from({ length: 12 }, (_, at) => `rate:{ten_${at}}:metered`);
    const primaries = await Promise.all(keys.map((key) => cluster.primaryOf(key)));
    expect(new Set(primaries).size).toBeGreaterThan(1);
    const slow = { perSecond: 0.001, burst: 10 };
    for (const key of keys) {
      expect(await one.take(key, slow, 4, 4)).toMatchObject({ taken: 4, free: 6 });
      expect(await other.take(key, slow, 9, 9)).toMatchObject({ taken: 6, free: 0 });
    }
    await cluster.whole();
    await primaries[0]?.kill();
    const key = keys[0] ?? '';
    expect(await one.take(key, slow, 1, 1)).toBeNull();
    expect(one.isThere()).toBe(false);
    await waitUntil('the replica', async () => (await one.take(key, slow, 1, 1))?.taken === 0, 60_000);
    await Promise.all([one.close(), other.close()]);
  });
});
