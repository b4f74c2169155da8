import { existsSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { delay } from '@market-state/lifecycle';
import { comesTrue, type KillableProcess, oneOf, readMetrics } from '@market-state/testing';
import type { Pool } from 'pg';
import { findPart, newestClaim, openJobs, type PartRecord } from './check-jobs';

const JOB_MS_MAX = 20_000;
const PUT_MS_MAX = 5_000;
/** Time slice of a worker between two checks. */
const STEP_MS = 5;
/** A claim takes less: a worker with a lock or transaction for longer is frozen. */
const BUSY_MS_MAX = 500;
const SETTLE_MS_MAX = 2_000;
const REFUSED_MS_MAX = 30_000;
/** Locks for claims and maintenance: a worker frozen with one of these would block the others. */
const LOCKS = [6_310_001, 6_310_002];

export interface FreezeScene {
  readonly pool: Pool;
  readonly workers: readonly KillableProcess[];
  readonly folder: string;
  readonly random: () => number;
}

/** A worker frozen between writing its part's file and committing. */
export interface FrozenWorker {
  readonly worker: KillableProcess;
  /**
   * Resumes it once another try has its part and the minimum time has passed. @returns number of its refused commits
   */
  thawAfter(freezeMs: number, limitMs: number): Promise<number>;
}

/**
 * The worker runs in small steps and is inspected while stopped; the others are stopped so that the part is its own.
 * Undefined if no worker has work left.
 */
export async function freezeBeforeCommit(scene: FreezeScene): Promise<FrozenWorker | undefined> {
  const worker = oneOf(scene.workers, scene.random);
  if (worker === undefined) return undefined;
  const others = scene.workers.filter((other) => other !== worker);
  await comesTrue(async () => (await openJobs(scene.pool)) > 0, { limitMs: JOB_MS_MAX, everyMs: 20 });
  const asBefore = goAhead();
  try {
    while ((await openJobs(scene.pool)) > 0) {
      for (const other of others) other.freeze();
      const put = await stepUntilPut(scene, worker);
      for (const other of others) other.thaw();
      if (put !== undefined) return { worker, thawAfter: thaw(scene.pool, worker, put) };
      await delay(STEP_MS);
    }
    return undefined;
  } finally {
    asBefore();
    for (const other of others) other.thaw();
  }
}

/** Undefined, with the worker running, if no such part was found in time. */
async function stepUntilPut({ pool, folder }: FreezeScene, worker: KillableProcess): Promise<PartRecord | undefined> {
  const isFree = await comesTrue(async () => !(await isBusy(pool)), { limitMs: BUSY_MS_MAX, everyMs: 2 });
  if (!isFree) return undefined;
  const sinceMs = Date.now();
  while (Date.now() - sinceMs < PUT_MS_MAX) {
    worker.freeze();
    const claimed = await newestClaim(pool, sinceMs);
    const key = claimed && join(folder, 'exports', claimed.job_id, `${claimed.attempt}-${claimed.name}`);
    if (claimed !== undefined && key !== undefined && existsSync(key) && (await isUncommitted(pool, claimed))) return claimed;
    worker.thaw();
    waitFast(() => key !== undefined && existsSync(key), STEP_MS);
  }
  return undefined;
}

/** True if the part still belongs to the try that wrote it and its commit has not started. All workers are stopped. */
async function isUncommitted(pool: Pool, { job_id: jobId, number, attempt }: PartRecord): Promise<boolean> {
  const isSettled = await comesTrue(async () => !(await isBusy(pool)), { limitMs: SETTLE_MS_MAX, everyMs: 2 });
  const { rowCount } = await pool.query(
    `SELECT FROM export_part WHERE job_id = $1 AND number = $2 AND attempt = $3 AND state = 'running'`,
    [jobId, number, attempt],
  );
  return isSettled && rowCount === 1;
}

/** True if a worker holds a lock or transaction: a transaction open during a Postgres restart loses its commit. */
async function isBusy(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'export-worker' AND state <> 'idle'
       OR pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid::bigint = ANY ($1) AND granted) LIMIT 1`,
    [LOCKS],
  );
  return rowCount === 1;
}

/** Raises this thread's priority where allowed: on busy cores its checks would be too late. */
function goAhead(): () => void {
  const before = getPriority();
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    return () => undefined;
  }
  return () => setPriority(before);
}

function thaw(pool: Pool, worker: KillableProcess, part: PartRecord): FrozenWorker['thawAfter'] {
  const frozenMs = performance.now();
  return async (freezeMs, limitMs) => {
    const isAccepted = async (): Promise<boolean> => ((await findPart(pool, part).catch(() => undefined))?.attempt ?? 0) > part.attempt;
    await comesTrue(isAccepted, { limitMs, everyMs: 200 });
    await delay(Math.max(0, freezeMs - (performance.now() - frozenMs)));
    worker.thaw();
    const refused = async (): Promise<number> => (await readMetrics(worker.opsUrl)).sum('export_fenced_commits_total');
    await comesTrue(async () => (await refused()) > 0, { limitMs: REFUSED_MS_MAX, everyMs: 100 });
    return refused();
  };
}

/** Busy-waits, because the next step follows within microseconds. */
function waitFast(isSeen: () => boolean, limitMs: number): void {
  const endsAt = performance.now() + limitMs;
  while (!isSeen() && performance.now() < endsAt);
}
