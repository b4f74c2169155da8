import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeDeadline } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { hasRedisServer, type RedisCluster, startRedisCluster, waitUntil } from '@market-state/testing';
import { z } from 'zod';
import {
  createJobProducer,
  createProducer,
  createProducers,
  type JobQueue,
  type QueueDefinition,
  startJobWorker,
  startWorker,
  startWorkers,
} from '../src';

/** Skipped without a redis-server. */
const whereThereIsRedis = hasRedisServer ? describe : describe.skip;

const logger = silentLogger();
const payload = z.object({ v: z.literal(1), queue: z.int(), number: z.int() });
const QUEUES: readonly QueueDefinition<z.output<typeof payload>>[] = ['{one}', '{two}', '{three}', '{four}'].map((prefix) => ({
  name: 'jobs',
  prefix,
  payload,
}));

whereThereIsRedis('queues in a Redis Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster.stop());

  test('jobs of every queue are processed, on several nodes, and again after a primary has died', async () => {
    const primaries = await Promise.all(QUEUES.map(({ prefix }) => cluster.primaryOf(`${prefix}:jobs:wait`)));
    expect(new Set(primaries).size).toBeGreaterThan(1);
    const done = QUEUES.map(() => new Set<number>());
    const workers = startWorkers(
      QUEUES,
      { redisUrl: cluster.url, logger, concurrency: 2 },
      async ({ queue, number }) => void done[queue]?.add(number),
    );
    const producers = createProducers(QUEUES, cluster.url, logger);
    /** Repeats wake-ups until done, like a search for due work. */
    const untilDone = (number: number): Promise<unknown> =>
      waitUntil(`job ${number} of every queue`, async () => {
        const waiting = [...producers.each.entries()].filter(([at]) => done[at]?.has(number) !== true);
        await Promise.allSettled(
          waiting.map(([queue, producer]) => producer.addAll([{ payload: { v: 1, queue, number }, jobId: `job${number}` }])),
        );
        return waiting.length === 0;
      });
    await Promise.all(producers.each.map((producer, at) => producer.add({ v: 1, queue: at, number: at }, { delayMs: 50 })));
    await waitUntil('the delayed jobs', () => done.every((numbers, at) => numbers.has(at)));
    await untilDone(100);
    await cluster.whole();
    await primaries[0]?.kill();
    await untilDone(101);
    for (const producer of producers.each) expect(await producer.waiting()).toBe(0);
    await Promise.all([workers.close(), producers.close()]);
  });

  test('jobs with attempts are added, put off, promoted, repeated and removed', async () => {
    const queue: JobQueue<{ readonly part: z.output<typeof payload> }> = {
      name: 'work',
      prefix: '{five}',
      payloads: { part: payload },
      retry: { attempts: 2, minMs: 1, maxMs: 1 },
    };
    const producer = createJobProducer(queue, cluster.url, logger);
    const jobs = [1, 2, 3].map((number) => ({
      name: 'part' as const,
      jobId: `job.${number}`,
      payload: { v: 1 as const, queue: 0, number },
      priority: number,
    }));
    await producer.add(jobs);
    await producer.remove(['job.3']);
    const calls: number[] = [];
    const worker = startJobWorker(
      queue,
      { redisUrl: cluster.url, logger, concurrency: 1 },
      {
        async part({ number }) {
          calls.push(number);
          const isFirst = calls.filter((one) => one === number).length === 1;
          if (isFirst && number === 2) throw new Error('repeated');
          return isFirst ? { againInMs: 600_000 } : 'done';
        },
      },
    );
    await waitUntil('jobs that are repeated', async () => {
      await producer.promote(['job.1']);
      return calls.length === 4;
    });
    expect([calls[0], [...calls].sort()]).toEqual([1, [1, 1, 2, 2]]);
    await Promise.all([worker.close(), producer.close()]);
  });

  test('a worker whose node has just died still closes once its job has ended', async () => {
    const placed = await Promise.all(
      QUEUES.map(async (queue) => ({ queue, primary: await cluster.primaryOf(`${queue.prefix}:jobs:wait`) })),
    );
    const replicas = await Promise.all(placed.map(({ primary }) => cluster.replicasOf(primary)));
    const found = placed.find((_, at) => (replicas[at]?.length ?? 0) > 0);
    if (found === undefined) throw new Error('no queue has a replica');
    const { queue, primary } = found;
    let [hasStarted, isClosed] = [false, false];
    const end = new AbortController();
    const worker = startWorker(queue, { redisUrl: cluster.url, logger, concurrency: 2 }, async () => {
      hasStarted = true;
      await once(end.signal, 'abort');
    });
    const producer = createProducer(queue, cluster.url, logger);
    await producer.add({ v: 1, queue: 0, number: 200 });
    await waitUntil('the job', () => hasStarted);
    await primary.kill();
    const closing = worker.close().then(() => {
      isClosed = true;
    });
    await delay(200);
    expect(isClosed).toBe(false);
    end.abort();
    await beforeDeadline(20_000, closing);
    await producer.close();
  });
});
