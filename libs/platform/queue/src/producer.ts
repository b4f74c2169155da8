import type { Logger } from '@market-state/logging';
import { openRedis, type RedisConnection } from '@market-state/redis';
import { Queue } from 'bullmq';
import type { z } from 'zod';

/** Keys start with the prefix, whose braces keep a queue on one node of a Redis Cluster. */
export interface QueueDefinition<Payload> {
  readonly name: string;
  /** In braces, such as `{export}`. */
  readonly prefix: string;
  /** Versioned payload; never contains secrets. */
  readonly payload: z.ZodType<Payload>;
}

/** Workers renew it twice in that time. */
export const LOCK_MS = 30_000;
/** Worker losses after which BullMQ drops a job; the search for due work then adds it again. */
export const STALLED_MAX = 3;

interface AddOptions {
  /** Default 0. */
  readonly delayMs?: number;
  /** Jobs whose id is in the queue are not added again. */
  readonly jobId?: string;
}

interface Producer<Payload> {
  /** Rejects within 5 s if Redis is unreachable. */
  add(payload: Payload, options?: AddOptions): Promise<void>;
  /** In a single round trip. */
  addAll(jobs: readonly { readonly payload: Payload; readonly jobId: string }[]): Promise<void>;
  waiting(): Promise<number>;
  close(): Promise<void>;
}

interface Producers<Payload> {
  readonly each: readonly Omit<Producer<Payload>, 'close'>[];
  close(): Promise<void>;
}

/** Finished jobs are removed from Redis. */
export function createProducer<Payload>(queue: QueueDefinition<Payload>, redisUrl: string, logger: Logger): Producer<Payload> {
  const connection = openConnection(redisUrl, logger);
  const producer = producerOn(connection, queue, logger);
  return { ...producer, close: () => closeAll([producer], connection) };
}

/** They share one connection, or one per node of a cluster. */
export function createProducers<Payload>(
  queues: readonly QueueDefinition<Payload>[],
  redisUrl: string,
  logger: Logger,
): Producers<Payload> {
  const connection = openConnection(redisUrl, logger);
  const each = queues.map((queue) => producerOn(connection, queue, logger));
  return { each, close: () => closeAll(each, connection) };
}

async function closeAll(producers: readonly Pick<Producer<never>, 'close'>[], connection: RedisConnection): Promise<void> {
  await Promise.all(producers.map((producer) => producer.close()));
  connection.disconnect();
}

function openConnection(redisUrl: string, logger: Logger): RedisConnection {
  return openRedis(redisUrl, { role: 'queue', logger, manner: 'prompt' });
}

function producerOn<Payload>(
  connection: RedisConnection,
  { name, prefix, payload: shape }: QueueDefinition<Payload>,
  logger: Logger,
): Producer<Payload> {
  const queue = new Queue(name, {
    connection,
    prefix,
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue'));
  return {
    async add(payload, { delayMs = 0, jobId } = {}) {
      await queue.add(name, shape.encode(payload), { delay: delayMs, ...(jobId === undefined ? {} : { jobId }) });
    },
    async addAll(jobs) {
      await queue.addBulk(jobs.map(({ payload, jobId }) => ({ name, data: shape.encode(payload), opts: { jobId } })));
    },
    waiting: () => queue.getWaitingCount(),
    close: () => queue.close(),
  };
}
