import { rm, statfs } from 'node:fs/promises';
import { backoffMs, repeatUntilClosed } from '@market-state/lifecycle';
import type { Pool } from 'pg';
import { failJob } from '../jobs/end-job';
import { beat, type ClaimedPart, claimPart, commitPart, isWanted, type MadeFile, type PartTry, returnPart } from '../store/parts';
import { largestDuePart } from '../store/upkeep';
import type { WorkerDeps } from '../worker-deps';
import { makePart } from './make-part';
import { mayPass, toPartError } from './part-error';

/** What a tenant may have under way. */
const LIMITS = { jobsPerTenant: 3, partsPerTenant: 2 };
/** Tries of a part that fail for a reason that may pass. */
const TRIES_MAX = 5;
const BACKOFF = { minMs: 2_000, maxMs: 60_000 };
/** How often a worker looks whether its try still counts, and every how many looks it says that it is at work. */
const LOOK_MS = 1_000;
const BEAT_EVERY = 5;
/** Why work on a part ends before it is made: the job was cancelled or has failed, or another worker has the part. */
const NOT_WANTED = new Error('the part is not wanted from this worker any more');

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

/**
 * Whether the disk that files are made on has room for twice the largest part that waits. No part is begun without, and an alarm is
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
    if (!isEnough) logger.error({ free_bytes: freeBytes, needed_bytes: neededBytes }, 'the disk is nearly full: no part is begun');
    return isEnough;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface WatchedTry {
  /** Aborts with NOT_WANTED. */
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

/** Says every 5 s that a worker makes a part, and looks every second whether it still should. */
function watchTry(pool: Pool, part: PartTry, clock: () => number, stop: AbortSignal): WatchedTry {
  const unwanted = new AbortController();
  let looks = 0;
  const watching = repeatUntilClosed(
    async () => {
      looks += 1;
      const counts = looks % BEAT_EVERY === 0 ? await beat(pool, part, clock()) : await isWanted(pool, part);
      if (!counts) unwanted.abort(NOT_WANTED);
    },
    { intervalMs: LOOK_MS, onError: () => undefined },
  );
  return { signal: AbortSignal.any([unwanted.signal, stop]), close: () => watching.close() };
}
