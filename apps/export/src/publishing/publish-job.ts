import { rm } from 'node:fs/promises';
import { isServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { costOf } from '@market-state/pricing';
import { holdLease, type JobOutcome, RetryError, UnrecoverableError } from '@market-state/queue';
import { failJob } from '../jobs/end-job';
import type { Job } from '../jobs/job';
import { promoteNext } from '../jobs/promote-next';
import { toPartError } from '../parts/part-error';
import { insertSupportFiles } from '../store/files';
import { advance } from '../store/jobs';
import { reportFinished } from '../store/outbox';
import { beatPublication, claimPublication, leavePublication, readPack } from '../store/publications';
import type { WorkerDeps } from '../worker-deps';
import { factsOf } from './facts';
import { putSupportFiles } from './support-files';

const RENEW_MS = 15_000;

/**
 * Publishes a job: support files, then the charge, then all files become available together. Safe to repeat after any
 * interruption. Does nothing while another attempt publishes.
 */
export async function publishJob(deps: WorkerDeps, jobId: string): Promise<JobOutcome> {
  const claimed = await claimPublication(deps.pool, jobId, deps.clock(), deps.clock() - deps.pace.silentMs);
  if (claimed === undefined) return 'done';
  const lease = holdLease({ renew: () => beatPublication(deps.pool, claimed, deps.clock()), everyMs: RENEW_MS });
  try {
    const job = claimed.status === 'publishing' ? claimed : await releaseFiles(deps, claimed);
    lease.signal.throwIfAborted();
    if (job !== undefined) await chargeAndFinish(deps, job);
    return 'done';
  } catch (error) {
    return await giveUp(deps, claimed, error);
  } finally {
    await lease.close();
    await promoteNext(deps, claimed.tenantId);
  }
}

/**
 * Stores the support files and takes the step after which the job cannot be cancelled. Undefined if it was cancelled
 * before.
 */
async function releaseFiles(deps: WorkerDeps, claimed: Job): Promise<Job | undefined> {
  const { pool, store, clock } = deps;
  const facts = await factsOf(deps, claimed);
  const requested = (await readPack(pool, claimed.jobId))?.request;
  const scratch = await store.scratch();
  try {
    const { files, reviewPack } = await putSupportFiles(deps, facts, requested, scratch);
    const job = await inTransaction(pool, async (client) => {
      const moved = await advance(client, claimed.jobId, { to: 'publishing', nowMs: clock(), reviewPack }, claimed);
      if (moved !== undefined) await insertSupportFiles(client, claimed, files);
      return moved;
    });
    if (job === undefined) for (const { objectKey } of files) await store.delete(objectKey);
    return job;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function chargeAndFinish({ pool, credits, clock, keptMs, logger }: WorkerDeps, job: Job): Promise<void> {
  const observed = Math.min(job.estimatedCredits, costOf('export_job', job.rowsMade));
  const { receiptId } = await credits.call.settle({
    operationId: job.operationId,
    observedMarketStateCredits: 0,
    observedExportCredits: observed,
    artifactIds: [job.jobId],
  });
  const nowMs = clock();
  await inTransaction(pool, async (client) => {
    const ready = await advance(client, job.jobId, { to: 'ready', nowMs, expiresMs: nowMs + keptMs, credits: observed, receiptId }, job);
    if (ready !== undefined) await reportFinished(client, ready, nowMs);
  });
  logger.info({ job_id: job.jobId, rows: job.rowsMade, credits: observed }, 'an export job is ready');
}

async function giveUp(deps: WorkerDeps, job: Job, error: unknown): Promise<never> {
  const { pool, logger } = deps;
  if (isServiceError(error, 'reservation_over')) {
    await failJob(deps, job.jobId, 'reservation_over');
    throw new UnrecoverableError('reservation_over');
  }
  const fault = toPartError(error);
  if (job.status === 'running' && fault.reason === 'storage_full') {
    await failJob(deps, job.jobId, 'storage_full');
    throw new UnrecoverableError('storage_full');
  }
  logger.warn({ err: error, job_id: job.jobId }, 'publishing a job failed; will retry');
  await leavePublication(pool, job);
  throw new RetryError(undefined, { cause: error });
}
