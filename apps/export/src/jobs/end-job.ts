import type { Logger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { advance, findJob } from '../store/jobs';
import { reportFinished } from '../store/outbox';
import { noteReleased } from '../store/maintenance';
import type { Upstreams } from '../upstreams';
import type { FailureReason, Job } from './job';
import { type QueueNextDeps, queueNext } from './queue-next';

interface ReleaseDeps extends Pick<Upstreams, 'credits'> {
  readonly pool: Pool;
  readonly logger: Logger;
}

type EndDeps = ReleaseDeps & QueueNextDeps;

/** Does nothing if the job has ended. */
export async function failJob(deps: EndDeps, jobId: string, reason: FailureReason, detail?: string): Promise<void> {
  const nowMs = deps.clock();
  const failed = await inTransaction(deps.pool, async (client) => {
    const job = await advance(client, jobId, { to: 'failed', nowMs, reason, ...(detail === undefined ? {} : { detail }) });
    if (job !== undefined) await reportFinished(client, job, nowMs);
    return job;
  });
  if (failed === undefined) return;
  deps.logger.error({ job_id: jobId, reason, detail }, 'an export job failed');
  await settleEnded(deps, failed);
}

/** Undefined if the tenant has no such job. */
export async function cancelJob(deps: EndDeps, tenantId: string, jobId: string): Promise<Job | undefined> {
  const { pool, clock } = deps;
  const found = await findJob(pool, tenantId, jobId);
  if (found === undefined) return undefined;
  const nowMs = clock();
  const cancelled = await inTransaction(pool, async (client) => {
    const job = await advance(client, jobId, { to: 'cancelled', nowMs });
    if (job !== undefined) await reportFinished(client, job, nowMs);
    return job;
  });
  if (cancelled === undefined) return findJob(pool, tenantId, jobId);
  await settleEnded(deps, cancelled);
  return cancelled;
}

/** A worker on one of its parts notices through its lease; queued work is removed. */
async function settleEnded(deps: EndDeps, job: Job): Promise<void> {
  await releaseCredits(deps, job);
  await deps.queue.remove(job);
  await queueNext(deps, job.tenantId);
}

/** If account is unreachable, maintenance retries. */
export async function releaseCredits(
  { credits, pool, logger }: ReleaseDeps,
  { jobId, operationId }: Pick<Job, 'jobId' | 'operationId'>,
): Promise<void> {
  try {
    await credits.call.release({ operationId });
    await noteReleased(pool, jobId);
  } catch (error) {
    logger.warn({ err: error, job_id: jobId }, 'releasing the credits of a job failed; will retry');
  }
}
