import { rm, statfs } from 'node:fs/promises';
import { delay } from '@market-state/lifecycle';
import { holdLease, type JobOutcome, type Lease, LeaseLostError, RetryError, retryDelayMs, UnrecoverableError } from '@market-state/queue';
import { failJob } from '../jobs/end-job';
import { EXPORT_QUEUE, type PartKey, workOfPublication } from '../jobs/export-queue';
import { queueNext } from '../jobs/queue-next';
import { beat, type ClaimedPart, claimPart, commitPart, isWanted, type MadeFile, returnPart } from '../store/parts';
import { largestDuePart } from '../store/maintenance';
import type { WorkerDeps } from '../worker-deps';
import { makePart } from './make-part';
import { mayPass, toPartError } from './part-error';

/** Interval of lease checks, and checks per renewal. */
const CHECK_MS = 1_000;
const RENEW_EVERY = 5;
/** Pause of a worker whose disk is nearly full; its part goes to others. */
const NO_SPACE_MS = 2_000;

/**
 * Makes a part if its claim succeeds. Rejects if the attempt failed or the database is unreachable; a permanent failure
 * ends the export job.
 */
export async function workOnPart(deps: WorkerDeps, key: PartKey, stop: AbortSignal): Promise<JobOutcome> {
  const { pool, clock, worker, pace, metrics } = deps;
  if (!(await hasSpace(deps))) {
    await delay(NO_SPACE_MS, stop).catch(() => undefined);
    return { againInMs: NO_SPACE_MS };
  }
  const part = await claimPart(pool, key, { worker, nowMs: clock(), silentMs: pace.silentMs });
  if (part === undefined) return 'done';
  if (part === 'given_up') {
    await failJob(deps, key.jobId, 'internal', 'Workers stopped again and again while making one of its files.');
    return 'done';
  }
  if ('againInMs' in part) return part;
  if (part.job.partsMade === 0 && part.attempt === 1 && part.number === 1) metrics.waited((clock() - part.job.createdMs) / 1_000);
  const lease = leaseOf(deps, part, stop);
  const startedMs = performance.now();
  try {
    const file = await makePart(deps, part, lease.signal);
    return await commit(deps, part, file, (performance.now() - startedMs) / 1_000);
  } catch (error) {
    return await giveUp(deps, part, error, stop);
  } finally {
    await lease.close();
    await queueNext(deps, part.job.tenantId);
  }
}

/** Lost if another worker has the part, or the job was cancelled or failed. */
function leaseOf({ pool, clock }: WorkerDeps, part: ClaimedPart, stop: AbortSignal): Lease {
  let checks = 0;
  return holdLease({
    renew() {
      checks += 1;
      return checks % RENEW_EVERY === 0 ? beat(pool, part, clock()) : isWanted(pool, part);
    },
    everyMs: CHECK_MS,
    stop,
  });
}

async function commit(
  { pool, queue, store, metrics, logger }: WorkerDeps,
  part: ClaimedPart,
  file: MadeFile,
  seconds: number,
): Promise<JobOutcome> {
  const { job, name, attempt } = part;
  const outcome = await commitPart(pool, part, file);
  if (outcome === 'fenced') {
    metrics.fenced();
    logger.info({ job_id: job.jobId, part: name, attempt }, 'part finished too late and was dropped');
    await store.delete(file.objectKey);
    return { againInMs: 0 };
  }
  metrics.made(job.spec, file.facts, file.bytes, seconds);
  logger.info({ job_id: job.jobId, part: name, rows: file.facts.rows, bytes: file.bytes }, 'part finished');
  if (outcome === 'all_made') await queue.add([workOfPublication(job.jobId)]);
  return 'done';
}

/**
 * Returns a part that was not made.
 * @throws RetryError after a transient failure, UnrecoverableError after a permanent one or the last attempt
 */
async function giveUp(deps: WorkerDeps, part: ClaimedPart, error: unknown, stop: AbortSignal): Promise<JobOutcome> {
  const { pool, clock, logger } = deps;
  const { job, name, failures, attempt } = part;
  if (error instanceof LeaseLostError || stop.aborted) {
    await returnPart(pool, part, clock(), failures);
    logger.info({ job_id: job.jobId, part: name, attempt }, stop.aborted ? 'part returned to the queue' : 'part no longer needed');
    return { againInMs: 0 };
  }
  const fault = toPartError(error);
  logger.warn({ err: fault.cause ?? fault, job_id: job.jobId, part: name, attempt, reason: fault.reason }, 'making a part failed');
  const delayMs = mayPass(fault) ? retryDelayMs(EXPORT_QUEUE.retry, failures) : undefined;
  const isMine = await returnPart(pool, part, clock() + (delayMs ?? 0), failures + 1);
  if (delayMs !== undefined) throw new RetryError(delayMs, { cause: fault });
  if (isMine) await failJob(deps, job.jobId, fault.reason, fault.detail);
  throw new UnrecoverableError(fault.message);
}

/**
 * True if the scratch disk has room for twice the largest pending part. Otherwise no part starts, and an error is
 * logged.
 */
async function hasSpace({ store, pool, metrics, logger }: Pick<WorkerDeps, 'store' | 'pool' | 'metrics' | 'logger'>): Promise<boolean> {
  const folder = await store.scratch();
  try {
    const { bavail, bsize } = await statfs(folder);
    const freeBytes = bavail * bsize;
    const neededBytes = 2 * (await largestDuePart(pool));
    const isEnough = freeBytes >= neededBytes;
    metrics.pausedForSpace(!isEnough);
    if (!isEnough) logger.error({ free_bytes: freeBytes, needed_bytes: neededBytes }, 'the disk is nearly full: no parts are started');
    return isEnough;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
