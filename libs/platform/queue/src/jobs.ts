import type { Closable } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';
import { DelayedError, Queue } from 'bullmq';
import type { z } from 'zod';
import { attemptsOf, RetryError, retryDelayMs, type RetrySchedule } from './retry-schedule';
import { openWorker, openWorkerConnection, type RunningWorker, type WorkerOptions } from './worker';

/** Queue of jobs that are the work itself, each with its own attempts. */
export interface JobQueue<Payloads> {
  readonly name: string;
  readonly prefix: string;
  /** Versioned payload by job name; never contains secrets. */
  readonly payloads: { readonly [Name in keyof Payloads]: z.ZodType<Payloads[Name]> };
  readonly retry: RetrySchedule;
}

export type NewJob<Payloads> = {
  readonly [Name in keyof Payloads & string]: {
    readonly name: Name;
    /** Jobs whose id is in the queue, in any state, are not added again. */
    readonly jobId: string;
    readonly payload: Payloads[Name];
    /**
     * Starts at 1, the highest; jobs without a priority precede all others. Equal priorities are first in, first out.
     */
    readonly priority?: number;
  };
}[keyof Payloads & string];

/** Methods reject within 5 s if Redis is unreachable. */
export interface JobProducer<Payloads> extends Closable {
  /** Single round trip. */
  add(jobs: readonly NewJob<Payloads>[]): Promise<void>;
  /** Skips jobs that a worker is processing. */
  remove(jobIds: readonly string[]): Promise<void>;
  /** Ends the delay of delayed jobs; others stay unchanged. */
  promote(jobIds: readonly string[]): Promise<void>;
}

export function createJobProducer<Payloads>(queue: JobQueue<Payloads>, redisUrl: string, logger: Logger): JobProducer<Payloads> {
  const { name, prefix, payloads, retry } = queue;
  const connection = openRedis(redisUrl, { role: 'queue', logger, manner: 'prompt' });
  const jobs = new Queue(name, {
    connection,
    prefix,
    skipVersionCheck: true,
    defaultJobOptions: { attempts: attemptsOf(retry), backoff: { type: 'schedule' }, removeOnComplete: true, removeOnFail: true },
  });
  jobs.on('error', (error) => logger.warn({ err: error, queue: name }, 'queue'));

  const encode = <Name extends keyof Payloads>(name: Name, payload: Payloads[Name]): unknown => {
    const shape: z.ZodType<Payloads[Name]> = payloads[name];
    return shape.encode(payload);
  };

  async function promoteOne(jobId: string): Promise<void> {
    const job = await jobs.getJob(jobId);
    // A worker may take the job between check and change; then there is no delay left to end.
    if ((await job?.isDelayed()) === true) await job?.promote().catch(() => undefined);
  }

  return {
    async add(those) {
      await jobs.addBulk(
        those.map((job) => ({
          name: job.name,
          data: encode(job.name, job.payload),
          opts: { jobId: job.jobId, priority: job.priority },
        })),
      );
    },
    async remove(jobIds) {
      await Promise.all(jobIds.map((jobId) => jobs.remove(jobId)));
    },
    async promote(jobIds) {
      await Promise.all(jobIds.map(promoteOne));
    },
    async close() {
      await jobs.close();
      connection.disconnect();
    },
  };
}

/** `againInMs`: the handler is called again without counting an attempt. */
export type JobOutcome = 'done' | { readonly againInMs: number };

/**
 * Handlers by job name. An error fails the attempt, and the next one follows after the delay of a `RetryError` or the
 * queue's schedule; `UnrecoverableError` ends the job. A handler may run more than once for a job, even concurrently.
 */
export type JobHandlers<Payloads> = {
  readonly [Name in keyof Payloads]: (payload: Payloads[Name]) => Promise<JobOutcome>;
};

export function startJobWorker<Payloads>(
  queue: JobQueue<Payloads>,
  options: WorkerOptions,
  handlers: JobHandlers<Payloads>,
): RunningWorker {
  const { payloads, retry } = queue;
  const connection = openWorkerConnection(options);
  const handle = <Name extends keyof Payloads>(name: Name, data: unknown): Promise<JobOutcome> =>
    handlers[name](payloads[name].parse(data));
  const worker = openWorker(
    connection,
    queue,
    options,
    async (job, token) => {
      const outcome = await handle(job.name as keyof Payloads, job.data);
      if (outcome === 'done') return;
      await job.moveToDelayed(Date.now() + outcome.againInMs, token);
      throw new DelayedError();
    },
    {
      backoffStrategy: (attempts, _type, error) =>
        (error instanceof RetryError ? error.delayMs : undefined) ?? retryDelayMs(retry, attempts - 1) ?? 0,
    },
  );
  return {
    async close() {
      await worker.close();
      connection.disconnect();
    },
  };
}
