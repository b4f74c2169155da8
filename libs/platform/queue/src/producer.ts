import type { Logger } from '@market-state/logging';
import { openRedis, type RedisConnection } from '@market-state/redis';
import { Queue } from 'bullmq';
import type { QueueDefinition } from './queue-definition';

export interface AddOptions {
  /** Wait before a worker gets it, milliseconds; default 0. */
  readonly delayMs?: number;
  /** Jobs with an id that is in the queue already are not added again. */
  readonly jobId?: string;
}

/** Adds jobs to a queue. */
export interface Producer<Payload> {
  /** Rejects within 5 s when Redis cannot be reached. */
  add(payload: Payload, options?: AddOptions): Promise<void>;
  /** The same for many jobs without a wait, in one round trip. */
  addAll(jobs: readonly { readonly payload: Payload; readonly jobId: string }[]): Promise<void>;
  /** Jobs that wait for a worker now. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

/** Producers of several queues, in the order of those. */
export interface Producers<Payload> {
  readonly each: readonly Omit<Producer<Payload>, 'close'>[];
  close(): Promise<void>;
}

/** A producer of a queue. Jobs leave no trace once they are done. */
export function createProducer<Payload>(queue: QueueDefinition<Payload>, redisUrl: string, logger: Logger): Producer<Payload> {
  const connection = openConnection(redisUrl, logger);
  const producer = producerOn(connection, queue, logger);
  return { ...producer, close: () => closeAll([producer], connection) };
}

/** The same for several queues, over one connection: of a cluster, one to each of its nodes. */
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
