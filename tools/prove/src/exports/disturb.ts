import { existsSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { delay } from '@market-state/lifecycle';
import { comesTrue } from '@market-state/testing';
import type { Pool } from 'pg';
import { type KillableProcess, oneOf, readMetrics } from '../harness';
import { findPart, newestClaim, openJobs } from './job-rows';

const POLL_MS = 20;
/** How long a worker may take until it has claimed a part, and until it has put it. */
const CLAIM_MS_MAX = 20_000;
const PUT_MS_MAX = 8_000;
const REFUSED_MS_MAX = 30_000;
/** Lock under which one worker keeps up: frozen with it, it would keep others from taking back what is left. */
const UPKEEP_LOCK = 6_310_002;

export interface FreezeScene {
  readonly pool: Pool;
  readonly workers: readonly KillableProcess[];
  /** Folder of the store. */
  readonly folder: string;
  readonly random: () => number;
}

/** A worker that does nothing, with the file of its part in the store and the commit before it. */
export interface FrozenWorker {
  readonly worker: KillableProcess;
  /** Lets it go on once another try has its part, and it was frozen for so long; resolves with how many of its commits were refused. */
  thawAfter(freezeMs: number, limitMs: number): Promise<number>;
}

/**
 * Freezes a worker at the moment when it has put its part and not committed it yet. Undefined when no worker has anything to do any more.
 * The others are stopped for the moments in between, so that the part is that of this worker.
 */
export async function freezeBeforeCommit(scene: FreezeScene): Promise<FrozenWorker | undefined> {
  const worker = oneOf(scene.workers, scene.random);
  if (worker === undefined) return undefined;
  const others = scene.workers.filter((other) => other !== worker);
  await comesTrue(async () => (await openJobs(scene.pool)) > 0, { limitMs: CLAIM_MS_MAX, everyMs: POLL_MS });
  for (const other of others) other.freeze();
  const asBefore = goAhead();
  try {
    while ((await openJobs(scene.pool)) > 0) {
      const sinceMs = Date.now();
      let claimed = await newestClaim(scene.pool, sinceMs);
      await comesTrue(async () => (claimed = await newestClaim(scene.pool, sinceMs)) !== undefined, { limitMs: CLAIM_MS_MAX, everyMs: 5 });
      if (claimed === undefined) return undefined;
      const key = join(scene.folder, 'exports', claimed.job_id, `${claimed.attempt}-${claimed.name}`);
      if (!waitFast(() => existsSync(key), PUT_MS_MAX)) continue;
      worker.freeze();
      const found = await findPart(scene.pool, claimed);
      const isBefore = found?.state === 'running' && found.attempt === claimed.attempt;
      if (isBefore && !(await isKeepingUp(scene.pool))) return { worker, thawAfter: thaw(scene.pool, worker, claimed) };
      worker.thaw();
    }
    return undefined;
  } finally {
    asBefore();
    for (const other of others) other.thaw();
  }
}

/** Has this thread run before all others, where it may: on busy cores it would look too late. */
function goAhead(): () => void {
  const before = getPriority();
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    return () => undefined;
  }
  return () => setPriority(before);
}

function thaw(pool: Pool, worker: KillableProcess, part: Parameters<typeof findPart>[1]): FrozenWorker['thawAfter'] {
  const frozenMs = performance.now();
  return async (freezeMs, limitMs) => {
    const isTaken = async (): Promise<boolean> => ((await findPart(pool, part).catch(() => undefined))?.attempt ?? 0) > part.attempt;
    await comesTrue(isTaken, { limitMs, everyMs: 200 });
    await delay(Math.max(0, freezeMs - (performance.now() - frozenMs)));
    worker.thaw();
    const refused = async (): Promise<number> => (await readMetrics(worker.opsUrl)).sum('export_fenced_commits_total');
    await comesTrue(async () => (await refused()) > 0, { limitMs: REFUSED_MS_MAX, everyMs: 100 });
    return refused();
  };
}

async function isKeepingUp(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted`, [UPKEEP_LOCK]);
  return rows.length > 0;
}

/** Looks without a pause, and lets nothing else run: what follows comes microseconds later. */
function waitFast(isSeen: () => boolean, limitMs: number): boolean {
  const endsAt = performance.now() + limitMs;
  while (!isSeen()) if (performance.now() > endsAt) return false;
  return true;
}
