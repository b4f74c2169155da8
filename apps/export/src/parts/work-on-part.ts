import { backoffMs } from '@market-state/lifecycle';
import { failJob } from '../jobs/fail-job';
import { claimPart, type ClaimedPart, commitPart, type MadeFile, returnPart } from '../store/parts';
import type { WorkerDeps } from '../worker-deps';
import { mayPass, toPartError } from './faults';
import { hasSpace } from './free-space';
import { makePart } from './make-part';
import { NOT_WANTED, watchTry } from './watch-try';

/** What a tenant may have under way. */
const LIMITS = { jobsPerTenant: 3, partsPerTenant: 2 };
/** Tries of a part that fail for a reason that may pass. */
const TRIES_MAX = 5;
const BACKOFF = { minMs: 2_000, maxMs: 60_000 };

/**
 * Takes the next part that is due and makes it. Resolves when there is nothing to take, or when the part is made, given back or not
 * wanted any
 * more; rejects when the database cannot be reached.
 */
export async function workOnPart(deps: WorkerDeps, stop: AbortSignal): Promise<void> {
  const { pool, bell, clock, worker, metrics } = deps;
  if (!(await hasSpace(deps))) return;
  const part = await claimPart(pool, worker, LIMITS, clock());
  if (part === undefined) return;
  if (part.job.partsMade === 0 && part.attempt === 1 && part.number === 1) metrics.waited((clock() - part.job.createdMs) / 1_000);
  const watched = watchTry(pool, part, clock, stop);
  const startedMs = performance.now();
  try {
    const file = await makePart(deps, part, watched.signal);
    await commit(deps, part, file, (performance.now() - startedMs) / 1_000);
  } catch (error) {
    await giveUp(deps, part, error, stop);
  } finally {
    await watched.close();
    await bell.parts(1);
  }
}

async function commit(
  { pool, bell, store, metrics, logger }: WorkerDeps,
  part: ClaimedPart,
  file: MadeFile,
  seconds: number,
): Promise<void> {
  const { job, name, attempt } = part;
  const outcome = await commitPart(pool, part, file);
  if (outcome === 'fenced') {
    metrics.fenced();
    logger.info({ job_id: job.jobId, part: name, attempt }, 'a part came too late and is dropped');
    await store.delete(file.objectKey);
    return;
  }
  metrics.made(job.spec, file.facts, file.bytes, seconds);
  logger.info({ job_id: job.jobId, part: name, rows: file.facts.rows, bytes: file.bytes }, 'a part is made');
  if (outcome === 'all_made') await bell.publication(job.jobId);
}

async function giveUp(deps: WorkerDeps, part: ClaimedPart, error: unknown, stop: AbortSignal): Promise<void> {
  const { pool, clock, bell, logger } = deps;
  const { job, name, failures, attempt } = part;
  if (error === NOT_WANTED || stop.aborted) {
    await returnPart(pool, part, clock(), failures);
    logger.info({ job_id: job.jobId, part: name, attempt }, stop.aborted ? 'a part is given back' : 'a part is not wanted any more');
    return;
  }
  const fault = toPartError(error);
  logger.warn({ err: fault.cause ?? fault, job_id: job.jobId, part: name, attempt, reason: fault.reason }, 'a part could not be made');
  if (mayPass(fault) && failures + 1 < TRIES_MAX) {
    const pauseMs = backoffMs(failures, BACKOFF);
    await returnPart(pool, part, clock() + pauseMs, failures + 1);
    await bell.parts(1, pauseMs);
    return;
  }
  if (await returnPart(pool, part, clock(), failures + 1)) await failJob(deps, job.jobId, fault.reason, fault.detail);
}
