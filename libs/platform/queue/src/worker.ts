import { within } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis, type RedisConnection } from '@market-state/redis';
import { insideTrace, openSpan } from '@market-state/tracing';
import { Worker } from 'bullmq';
import { LOCK_MS, LOCK_RENEWAL_MS, type QueueDefinition, STALLED_MAX } from './queue-definition';

export interface WorkerOptions {
  readonly redisUrl: string;
  readonly logger: Logger;
  /** Jobs at a time. */
  readonly concurrency: number;
  /** Told when jobs lost their worker and are given to another. */
  readonly onStalled?: () => void;
}

/** What Redis gets to hear that a worker closes, once its jobs have ended, milliseconds. */
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
  const connection = openRedis(options.redisUrl, { role: 'queue-worker', logger: options.logger, manner: 'patient' });
  const workers = queues.map((queue) => workOn(connection, queue, options, work));
  return {
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      connection.disconnect();
    },
  };
}

function workOn<Payload>(
  connection: RedisConnection,
  { name, prefix, payload: shape }: QueueDefinition<Payload>,
  { logger, concurrency, onStalled }: WorkerOptions,
  work: (payload: Payload) => Promise<void>,
): RunningWorker {
  const underWay = new Set<Promise<void>>();
  async function workOnJob(data: unknown): Promise<void> {
    const attributes = { 'messaging.system': 'bullmq', 'messaging.destination.name': name };
    const span = openSpan(`process ${name}`, { role: 'consumer', parent: null, attributes });
    await insideTrace(span.context, async () => {
      try {
        await work(shape.parse(data));
        span.end();
      } catch (error) {
        logger.error({ err: error, queue: name }, 'a job of the queue failed');
        span.end(error);
      }
    });
  }
  const worker = new Worker<unknown>(
    name,
    async ({ data }) => {
      const working = workOnJob(data);
      underWay.add(working);
      await working;
      underWay.delete(working);
    },
    {
      connection,
      prefix,
      concurrency,
      lockDuration: LOCK_MS,
      lockRenewTime: LOCK_RENEWAL_MS,
      maxStalledCount: STALLED_MAX,
      skipVersionCheck: true,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue worker'));
  worker.on('stalled', () => onStalled?.());
  return {
    async close() {
      const closed = worker.close();
      // A job whose end Redis does not hear of is given to another worker; the library would wait for ever.
      do {
        await Promise.all(underWay);
        await within(CLOSE_MS_MAX, closed);
      } while (underWay.size > 0);
    },
  };
}
