import { within } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis, type RedisConnection } from '@market-state/redis';
import { insideTrace, openSpan } from '@market-state/tracing';
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions as BullOptions } from 'bullmq';
import { LOCK_MS, type QueueDefinition, STALLED_MAX } from './producer';
import { RetryError } from './retry-schedule';

export interface WorkerOptions {
  readonly redisUrl: string;
  readonly logger: Logger;
  readonly concurrency: number;
  /** Called if a job lost its worker and is reassigned. */
  readonly onStalled?: () => void;
  /** Default 30,000. */
  readonly lockMs?: number;
}

/** Timeout for telling Redis that the worker closes, after its jobs have ended. */
const CLOSE_MS_MAX = 3_000;

export interface RunningWorker {
  /** Stops taking jobs; resolves once running jobs have ended, even if Redis is unavailable. */
  close(): Promise<void>;
}

/**
 * Processes the jobs of a queue with `work`, which must be idempotent: a job may run more than once, even concurrently.
 * Rejections are logged and not retried.
 */
export function startWorker<Payload>(
  queue: QueueDefinition<Payload>,
  options: WorkerOptions,
  work: (payload: Payload) => Promise<void>,
): RunningWorker {
  return startWorkers([queue], options, work);
}

/** Each has its own `concurrency`; they share a connection except for blocking waits. */
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

/** Uses the caller's connection, with one trace per job. BullMQ handles rejections of `work`. */
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
        if (!isExpected(error)) logger.error({ err: error, queue: name }, 'queue job failed');
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
      // Bounded, because BullMQ would wait forever. A job whose completion Redis does not learn of is reassigned.
      do {
        await Promise.allSettled(underWay);
        await within(CLOSE_MS_MAX, closed);
      } while (underWay.size > 0);
    },
  };
}

function isExpected(error: unknown): boolean {
  return error instanceof DelayedError || error instanceof RetryError || error instanceof UnrecoverableError;
}
