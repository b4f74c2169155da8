import type { Closable } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { openRedis } from '@market-state/redis';
import { DelayedError, Queue } from 'bullmq';
import type { z } from 'zod';
import { attemptsOf, RetryError, retryDelayMs, type RetrySchedule } from './retry-schedule';
import { openWorker, openWorkerConnection, type RunningWorker, type WorkerOptions } from './worker';

/** A queue of jobs that are the work itself, each with attempts of its own. Producers and workers share it. */
export interface JobQueue<Payloads> {
  readonly name: string;
  /** In braces, such as `{export}`. */
  readonly prefix: string;
  /** By job name: what its jobs carry, tagged with a version; never a secret. */
  readonly payloads: { readonly [Name in keyof Payloads]: z.ZodType<Payloads[Name]> };
  readonly retry: RetrySchedule;
}

/** A job to be added. */
export type NewJob<Payloads> = {
  readonly [Name in keyof Payloads & string]: {
    readonly name: Name;
    /** A job whose id is in the queue, in any state, is not added again. */
    readonly jobId: string;
    readonly payload: Payloads[Name];
    /** From 1, which comes first; jobs without one come before all others. Equal ones in the order in which they were added. */
    readonly priority?: number;
  };
}[keyof Payloads & string];

/** Adds jobs to a queue. Each method rejects within 5 s when Redis cannot be reached. */
export interface JobProducer<Payloads> extends Closable {
  /** In one round trip. */
  add(jobs: readonly NewJob<Payloads>[]): Promise<void>;
  /** Removes jobs, but those that a worker has. */
  remove(jobIds: readonly string[]): Promise<void>;
  /** Ends the delay of jobs; others are left as they are. */
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
    // It may be taken between the look and the change: then there is no delay left to end.
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

/** How the handler of a job ended: it is done, or not yet and to be called again, which counts as no attempt. */
export type JobOutcome = 'done' | { readonly againInMs: number };

/**
 * By job name. A handler that rejects with `RetryError` or any other error has failed an attempt: the next follows after the delay of the
 * error, or of the queue's schedule; with `UnrecoverableError` the job is over. A handler may be called more than once for a job, also
 * while another call still runs.
 */
export type JobHandlers<Payloads> = {
  readonly [Name in keyof Payloads]: (payload: Payloads[Name]) => Promise<JobOutcome>;
};

/** Works on the jobs of a queue. */
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
