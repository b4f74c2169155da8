import type { Logger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';
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

/** A running worker of a queue. */
export interface RunningWorker {
  /** Takes no more jobs, and resolves when those under way have ended. */
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
  const worker = new Worker<unknown>(
    name,
    async ({ data }) => {
      try {
        await work(shape.parse(data));
      } catch (error) {
        logger.error({ err: error, queue: name }, 'a job of the queue failed');
      }
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
      await worker.close();
      connection.disconnect();
    },
  };
}
