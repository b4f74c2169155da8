import { within } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis, type RedisConnection } from '@market-state/redis';
import { insideTrace, openSpan } from '@market-state/tracing';
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions as BullOptions } from 'bullmq';
import { LOCK_MS, type QueueDefinition, STALLED_MAX } from './queue-definition';
import { RetryError } from './retry-schedule';

export interface WorkerOptions {
  readonly redisUrl: string;
  readonly logger: Logger;
  /** Jobs at a time. */
  readonly concurrency: number;
  /** Called when a job lost its worker and is given to another. */
  readonly onStalled?: () => void;
  /** A worker that has not renewed a job's lock for so long loses the job, milliseconds; default 30,000. */
  readonly lockMs?: number;
}

/** Time for Redis to hear that a worker closes, once its jobs have ended, milliseconds. */
const CLOSE_MS_MAX = 3_000;

/** A running worker of a queue. */
export interface RunningWorker {
  /** Takes no more jobs, and resolves when those under way have ended, soon also where Redis is away. */
  close(): Promise<void>;
}

/**
 * Works on the jobs of a queue, each with `work`. A job may be given to a worker more than once, also while another still runs: what it
 * does must bear that. What `work` rejects with is logged, and the job is not repeated.
 */
export function startWorker<Payload>(
  queue: QueueDefinition<Payload>,
  options: WorkerOptions,
  work: (payload: Payload) => Promise<void>,
): RunningWorker {
  return startWorkers([queue], options, work);
}

/** The same for several queues, each with its own `concurrency`. Apart from the waits for jobs they share a connection. */
export function startWorkers<Payload>(
  queues: readonly QueueDefinition<Payload>[],
  options: WorkerOptions,
  work: (payload: Payload) => Promise<void>,
): RunningWorker {
  const connection = openWorkerConnection(options);
  const workers = queues.map((queue) => openWorker(connection, queue, options, ({ data }) => work(queue.payload.parse(data))));
  return {
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      connection.disconnect();
    },
  };
}

export function openWorkerConnection({ redisUrl, logger }: Pick<WorkerOptions, 'redisUrl' | 'logger'>): RedisConnection {
  return openRedis(redisUrl, { role: 'queue-worker', logger, manner: 'patient' });
}

/** A worker on a connection of the caller, each job in a trace of its own. What `work` rejects with is BullMQ's to judge. */
export function openWorker(
  connection: RedisConnection,
  { name, prefix }: Pick<QueueDefinition<never>, 'name' | 'prefix'>,
  { logger, concurrency, onStalled, lockMs = LOCK_MS }: WorkerOptions,
  work: (job: Job<unknown>, token: string | undefined) => Promise<void>,
  settings?: BullOptions['settings'],
): RunningWorker {
  const underWay = new Set<Promise<void>>();
  async function workOnJob(job: Job<unknown>, token: string | undefined): Promise<void> {
    const attributes = { 'messaging.system': 'bullmq', 'messaging.destination.name': name };
    const span = openSpan(`process ${name}`, { role: 'consumer', parent: null, attributes });
    await insideTrace(span.context, async () => {
      try {
        await work(job, token);
        span.end();
      } catch (error) {
        if (error instanceof DelayedError) span.end();
        else span.end(error);
        if (!isExpected(error)) logger.error({ err: error, queue: name }, 'a job of the queue failed');
        throw error;
      }
    });
  }
  const worker = new Worker<unknown>(
    name,
    async (job, token) => {
      const working = workOnJob(job, token);
      underWay.add(working);
      try {
        await working;
      } finally {
        underWay.delete(working);
      }
    },
    {
      connection,
      prefix,
      concurrency,
      lockDuration: lockMs,
      lockRenewTime: lockMs / 2,
      stalledInterval: lockMs,
      maxStalledCount: STALLED_MAX,
      skipVersionCheck: true,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
      settings,
    },
  );
  worker.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue worker'));
  worker.on('stalled', () => onStalled?.());
  return {
    async close() {
      const closed = worker.close();
      // A job whose end Redis does not hear of is given to another worker; the library would wait for ever.
      do {
        await Promise.allSettled(underWay);
        await within(CLOSE_MS_MAX, closed);
      } while (underWay.size > 0);
    },
  };
}

/** Errors by which a handler tells the queue what to do, and which it has logged as far as they matter. */
function isExpected(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof RetryError || error instanceof UnrecoverableError;
}
