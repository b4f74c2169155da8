import { within } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';
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
  { name, prefix, payload: shape }: QueueDefinition<Payload>,
  { redisUrl, logger, concurrency, onStalled }: WorkerOptions,
  work: (payload: Payload) => Promise<void>,
): RunningWorker {
  const connection = openRedis(redisUrl, { role: 'queue-worker', logger, manner: 'patient' });
  const underWay = new Set<Promise<void>>();
  async function workOn(data: unknown): Promise<void> {
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
      const working = workOn(data);
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
      connection.disconnect();
    },
  };
}
