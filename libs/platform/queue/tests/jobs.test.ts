import { silentLogger } from '@market-state/logging';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import { z } from 'zod';
import { createJobProducer, type JobOutcome, type JobQueue, RetryError, startJobWorker, UnrecoverableError } from '../src';

interface Payloads {
  readonly step: { readonly v: 1; readonly number: number };
}

const ATTEMPTS = 3;
const QUEUE: JobQueue<Payloads> = {
  name: 'jobs',
  prefix: '{test}',
  payloads: { step: z.object({ v: z.literal(1), number: z.int() }) },
  retry: { attempts: ATTEMPTS, minMs: 1, maxMs: 2 },
};
const FAR_MS = 600_000;
const logger = silentLogger();

let stores: TestStores;
let producer: ReturnType<typeof createJobProducer<Payloads>>;

beforeAll(async () => {
  stores = await startStores({ services: [] });
  producer = createJobProducer(QUEUE, stores.redisUrl, logger);
});

afterAll(async () => {
  await producer?.close();
  await stores?.stop();
});

const jobOf = (number: number) => ({ name: 'step' as const, jobId: `job.${number}`, payload: { v: 1 as const, number }, priority: number });

/** Processes jobs until `isOver`. @returns job numbers in call order */
async function work(handle: (number: number, calls: number) => Promise<JobOutcome>, isOver: (calls: readonly number[]) => boolean) {
  const calls: number[] = [];
  const worker = startJobWorker(
    QUEUE,
    { redisUrl: stores.redisUrl, logger, concurrency: 1 },
    {
      async step({ number }) {
        calls.push(number);
        return handle(number, calls.filter((one) => one === number).length);
      },
    },
  );
  await waitUntil('the jobs', () => isOver(calls));
  await worker.close();
  return calls;
}

test('jobs come by priority, once for an id, and not when they were removed', async () => {
  await producer.add([3, 1, 2].map(jobOf));
  await producer.add([jobOf(3)]);
  await producer.remove(['job.2', 'job.9']);
  expect(
    await work(
      async () => 'done',
      (calls) => calls.includes(3),
    ),
  ).toEqual([1, 3]);
});

test('a postponed job is called again when due, and no attempt is counted', async () => {
  await producer.add([jobOf(1)]);
  const calls = await work(
    async (_, called) => (called <= ATTEMPTS + 1 ? { againInMs: 1 } : 'done'),
    ({ length }) => length === 5,
  );
  expect(calls).toEqual([1, 1, 1, 1, 1]);
});

test('a postponed job runs immediately when promoted', async () => {
  await producer.add([jobOf(1)]);
  const calls = await work(
    async (_, called) => (called === 1 ? { againInMs: FAR_MS } : 'done'),
    (called) => {
      if (called.length === 1) void producer.promote(['job.1', 'job.9']);
      return called.length === 2;
    },
  );
  expect(calls).toEqual([1, 1]);
});

test.each([
  ['an error', () => new Error('failed'), 3],
  ['an error with a delay', () => new RetryError(1), 3],
  ['an unrecoverable error', () => new UnrecoverableError('failed'), 1],
])('a job that fails by %s has its attempts and leaves nothing', async (_, errorOf, attempts) => {
  await producer.add([jobOf(1), jobOf(2)]);
  const calls = await work(
    async (number) => {
      if (number === 1) throw errorOf();
      return 'done';
    },
    (called) => called.filter((number) => number === 1).length === attempts && called.includes(2),
  );
  expect(calls.filter((number) => number === 1)).toHaveLength(attempts);
  await producer.add([jobOf(1)]);
  expect(
    await work(
      async () => 'done',
      ({ length }) => length > 0,
    ),
  ).toEqual([1]);
});
