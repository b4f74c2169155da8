import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import { inTransaction, withAdvisoryLock } from '@market-state/postgres';
import { searchDueWork } from '@market-state/queue';
import { giveBackReserved } from './jobs/create-job';
import { failJob, releaseCredits } from './jobs/end-job';
import { workOfPart, workOfPublication } from './jobs/export-queue';
import { keysInUse, removeFiles } from './store/files';
import { advance, listAbandoned } from './store/jobs';
import { deleteAcknowledged, deleteUnacknowledged } from './store/outbox';
import { listNextParts } from './store/parts';
import { listPublishable } from './store/publications';
import {
  countJobs,
  forgetJobs,
  listCreatedBefore,
  listExpired,
  listUnreleased,
  oldestQueuedSeconds,
  takeBackParts,
} from './store/maintenance';
import type { WorkerDeps } from './worker-deps';

/** Maintenance runs in one process at a time. */
const LOCK = 6_310_002;
const ABANDONED_MS = 45_000;
const TOO_LONG_MS = 12 * 3_600_000;
const RECORDS_MS = 90 * 86_400_000;
/** Retention of job events after acknowledgement, or else after creation. */
const EVENTS_MS = 30 * 86_400_000;
const AT_ONCE = 50;

/** Every process measures the backlog; one at a time resumes abandoned work and ends what has expired. */
export function startMaintenance(deps: WorkerDeps): Closable {
  const sweepObjects = createObjectSweep(deps);
  return repeatUntilClosed(() => measure(deps).then(() => withAdvisoryLock(deps.pool, LOCK, () => round(deps, sweepObjects))), {
    intervalMs: deps.pace.maintenanceMs,
    onError: (error) => deps.logger.warn({ err: error }, 'export maintenance failed; will retry'),
  });
}

async function round(deps: WorkerDeps, sweepObjects: () => Promise<void>): Promise<void> {
  const { pool, clock } = deps;
  const nowMs = clock();
  for (const job of await listCreatedBefore(pool, ['queued', 'running'], nowMs - TOO_LONG_MS, AT_ONCE))
    await failJob(deps, job.jobId, 'took_too_long');
  for (const job of await listUnreleased(pool, AT_ONCE)) await releaseCredits(deps, job);
  for (const operationId of await listAbandoned(pool, nowMs - ABANDONED_MS, AT_ONCE)) await giveBackReserved(deps, operationId);
  for (const job of await listExpired(pool, nowMs, AT_ONCE)) await expire(deps, job.jobId);
  await forgetJobs(pool, nowMs - RECORDS_MS);
  await forgetEvents(deps, nowMs - EVENTS_MS);
  await sweepObjects();
}

/** Reclaims parts of silent workers and queues due work that is not queued already. */
export function searchDueJobs({ pool, clock, pace, queue, metrics, logger }: WorkerDeps): Closable {
  return searchDueWork({
    async search() {
      const nowMs = clock();
      await takeBackParts(pool, nowMs - pace.silentMs);
      const publishable = await listPublishable(pool, nowMs - pace.silentMs, AT_ONCE);
      metrics.settlePending(publishable.length);
      return [...publishable.map(workOfPublication), ...(await listNextParts(pool, nowMs)).map(workOfPart)];
    },
    notify: (work) => queue.add(work),
    everyMs: pace.maintenanceMs,
    logger,
  });
}

/** Measured by every process: one that lost the lock would keep reporting old values. */
async function measure({ pool, clock, metrics }: WorkerDeps): Promise<void> {
  metrics.oldestQueued(await oldestQueuedSeconds(pool, clock()));
  metrics.jobs(await countJobs(pool));
}

async function forgetEvents({ pool, logger }: WorkerDeps, beforeMs: number): Promise<void> {
  await deleteAcknowledged(pool, beforeMs);
  const events = await deleteUnacknowledged(pool, beforeMs);
  if (events > 0) logger.error({ events }, 'unacknowledged events dropped');
}

async function expire({ pool, clock, store }: WorkerDeps, jobId: string): Promise<void> {
  const keys = await inTransaction(pool, async (client) =>
    (await advance(client, jobId, { to: 'expired', nowMs: clock() })) === undefined ? [] : removeFiles(client, { jobId }),
  );
  for (const key of keys) await store.delete(key);
}

const SWEEP_EVERY_MS = 3_600_000;
const OBJECT_ABANDONED_MS = 24 * 3_600_000;
/** Partial files untouched for this long belong to a killed worker. */
const SCRATCH_MS = 3_600_000;
const KEYS_AT_ONCE = 500;

/** Removes orphaned objects hourly: leftovers of killed workers and superseded attempts. */
function createObjectSweep(deps: Pick<WorkerDeps, 'pool' | 'store' | 'clock' | 'logger'>): () => Promise<void> {
  let sweptMs = -Infinity;
  return async () => {
    if (performance.now() - sweptMs < SWEEP_EVERY_MS) return;
    await deps.store.sweepScratch(SCRATCH_MS);
    const removed = await sweepObjects(deps, deps.clock() - OBJECT_ABANDONED_MS);
    if (removed > 0) deps.logger.info({ objects: removed }, 'orphaned objects removed');
    sweptMs = performance.now();
  };
}

export async function sweepObjects({ pool, store }: Pick<WorkerDeps, 'pool' | 'store'>, beforeMs: number): Promise<number> {
  const keys = await store.list('exports/');
  let removed = 0;
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const some = keys.slice(at, at + KEYS_AT_ONCE);
    const used = await keysInUse(pool, some);
    for (const key of some.filter((candidate) => !used.has(candidate))) {
      const found = await store.stat(key);
      if (found === undefined || found.modifiedMs >= beforeMs) continue;
      await store.delete(key);
      removed += 1;
    }
  }
  return removed;
}
