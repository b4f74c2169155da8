import { silentLogger } from '@market-state/logging';
import { hasRedisServer, type RedisCluster, startRedisCluster, waitUntil } from '@market-state/testing';
import { connectBuckets } from '../src/serving/limits/pace';

/** Registered, but skipped without redis-server. */
const whereThereIsRedis = hasRedisServer ? describe : describe.skip;

whereThereIsRedis('rate limits in a Redis Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());

  it('shares buckets on several nodes, counts in memory while one of them is away, and shares again once its replica took over', async () => {
    const connect = () => connectBuckets({ redisUrl: cluster.url, logger: silentLogger(), monotonicMs: () => performance.now() });
    const [one, other] = [connect(), connect()];
    await waitUntil('the cluster', () => one.isThere() && other.isThere());
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
    await waitUntil('the replica', async () => (await one.take(key, slow, 1, 1))?.taken === 0);
    await Promise.all([one.close(), other.close()]);
  });
});
