import { silentLogger } from '@market-state/logging';
import { hasRedisServer, type RedisCluster, startRedisCluster, waitUntil } from '@market-state/testing';
import { createEventLog, type EventLog, type LogEntry, LOG_START, streamKey } from '../src';

/** Reported as skipped without a redis-server. */
const whereThereIsRedis = hasRedisServer ? describe : describe.skip;

function entries(from: number, to: number): LogEntry[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ epoch: 1, ordinal: from + at, payload: Buffer.from(`entry ${from + at}`) }));
}

function ordinals(read: readonly LogEntry[]): number[] {
  return read.map(({ ordinal }) => ordinal);
}

function follower(log: EventLog, symbol: string) {
  const stop = new AbortController();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const batch of log.follow(symbol, LOG_START, stop.signal)) seen.push(...ordinals(batch));
  })();
  return {
    seen,
    until: (ordinal: number) => waitUntil(`entry ${ordinal} of ${symbol}`, () => seen.at(-1) === ordinal),
    async stop() {
      stop.abort();
      await reading;
    },
  };
}

whereThereIsRedis('the event log in a Redis Cluster', () => {
  let cluster: RedisCluster;
  let log: EventLog;
  const repairs: { readonly symbol: string; readonly entries: number }[] = [];

  beforeAll(async () => {
    cluster = await startRedisCluster();
    log = createEventLog(cluster.url, { logger: silentLogger(), onRepaired: (symbol, total) => repairs.push({ symbol, entries: total }) });
  });

  afterAll(async () => {
    await log.close();
    await cluster.stop();
  });

  /** Two symbols on different primaries; the first primary has a replica. */
  async function symbolsApart(): Promise<[string, string]> {
    const symbols = Array.from({ length: 12 }, (_, at) => `A${at}USD-PERP`);
    const placed = await Promise.all(
      symbols.map(async (symbol) => {
        const primary = await cluster.primaryOf(streamKey(symbol));
        return { symbol, primary, replicas: (await cluster.replicasOf(primary)).length };
      }),
    );
    const first = placed.find(({ replicas }) => replicas > 0);
    const second = placed.find(({ primary }) => primary !== first?.primary);
    if (first === undefined || second === undefined) throw new Error('all symbols are on one primary');
    return [first.symbol, second.symbol];
  }

  test('symbols are on several nodes, and each is appended to, read, trimmed and followed there', async () => {
    const symbols = Array.from({ length: 8 }, (_, at) => `S${at}USD-PERP`);
    const primaries = await Promise.all(symbols.map((symbol) => cluster.primaryOf(streamKey(symbol))));
    expect(new Set(primaries).size).toBeGreaterThan(1);
    const followers = symbols.map((symbol) => follower(log, symbol));
    await Promise.all(symbols.map((symbol) => log.append(symbol, entries(1, 20))));
    await Promise.all(followers.map((each) => each.until(20)));
    for (const symbol of symbols) {
      expect(await log.trim(symbol, { epoch: 1, ordinal: 16 })).toBe(15);
      expect(ordinals(await log.readLast(symbol, 10))).toEqual([16, 17, 18, 19, 20]);
      await log.setPosition(symbol, 'reader', { epoch: 1, ordinal: 20 });
      expect(await log.positions(symbol)).toEqual({ reader: { epoch: 1, ordinal: 20 } });
    }
    await Promise.all(followers.map((each) => each.stop()));
  });

  test('memory is that of the node that has the symbol', async () => {
    const symbol = 'MEMUSD-PERP';
    const primary = await cluster.primaryOf(streamKey(symbol));
    await primary.ask((redis) => redis.config('SET', 'maxmemory', '777777777'));
    expect((await log.memoryUsage(symbol)).limitBytes).toBe(777_777_777);
    await primary.ask((redis) => redis.config('SET', 'maxmemory', '0'));
    expect(await log.memoryUsage(symbol)).toEqual({ usedBytes: expect.any(Number) as number, limitBytes: 0 });
  });

  test('writer and readers go along when the slot of a symbol moves to another node', async () => {
    const symbol = 'MOVEUSD-PERP';
    const reader = follower(log, symbol);
    await log.append(symbol, entries(1, 10));
    await reader.until(10);
    const before = await cluster.primaryOf(streamKey(symbol));
    await cluster.moveSlotOf(streamKey(symbol));
    expect(await cluster.primaryOf(streamKey(symbol))).not.toBe(before);
    await log.append(symbol, entries(11, 20));
    await reader.until(20);
    await reader.stop();
    expect(reader.seen).toEqual(ordinals(entries(1, 20)));
    expect(repairs).toEqual([]);
  });

  test('a primary that dies with entries that its replica never got leaves no gap: readers see each entry once', async () => {
    const symbol = 'LOSTUSD-PERP';
    const reader = follower(log, symbol);
    await log.append(symbol, entries(1, 100));
    await reader.until(100);
    await cluster.whole();
    const primary = await cluster.primaryOf(streamKey(symbol));
    const letIn = await cluster.cutReplicas(primary);
    await log.append(symbol, entries(101, 140));
    await reader.until(140);
    expect(await log.ping()).toBeGreaterThan(0);
    await primary.kill();
    await log.append(symbol, entries(141, 150));
    await reader.until(150);
    await reader.stop();
    expect(await cluster.primaryOf(streamKey(symbol))).not.toBe(primary);
    expect(repairs).toEqual([{ symbol, entries: 40 }]);
    expect(reader.seen).toEqual(ordinals(entries(1, 150)));
    expect(ordinals(await log.read(symbol, LOG_START, { count: 1_000 }))).toEqual(reader.seen);
    await letIn();
  });

  test('a cluster without one of its primaries counts as away, though other symbols go on, until that primary is back with what it had', async () => {
    const [gone, other] = await symbolsApart();
    const primary = await cluster.primaryOf(streamKey(gone));
    await log.append(gone, entries(1, 10));
    await Promise.all((await cluster.replicasOf(primary)).map((replica) => replica.kill()));
    await primary.kill();
    const isAway = (): Promise<boolean> =>
      log.ping().then(
        () => false,
        () => true,
      );
    await waitUntil('a cluster that is away', isAway);
    await log.append(other, entries(1, 10));
    expect(ordinals(await log.readLast(other, 1))).toEqual([10]);
    await primary.start();
    await log.append(gone, entries(11, 20));
    expect(ordinals(await log.read(gone, LOG_START, { count: 100 }))).toEqual(ordinals(entries(1, 20)));
    await waitUntil('the cluster again', async () => (await log.ping()) > 0);
  });
});
