import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import { inTransaction, withAdvisoryLock } from '@market-state/postgres';
import { searchDueWork } from '@market-state/queue';
import { giveBackReserved } from './jobs/create-job';
import { failJob, releaseCredits } from './jobs/end-job';
import { workOfPart, workOfPublication } from './jobs/export-queue';
import { keysInUse, removeFiles } from './store/files';
import { advance } from './store/jobs';
import { forgetTaken, forgetUntaken } from './store/outbox';
import { listDueParts } from './store/parts';
import { listPublishable } from './store/publications';
import { listAbandoned } from './store/reservations';
import { countJobs, forgetJobs, listCreatedBefore, listExpired, listUnreleased, oldestQueuedSeconds, takeBackParts } from './store/upkeep';
import type { WorkerDeps } from './worker-deps';

/** One process at a time keeps up. */
const LOCK = 6_310_002;
/** Credits that were reserved so long ago without a job are given back. */
const ABANDONED_MS = 45_000;
const TOO_LONG_MS = 12 * 3_600_000;
const RECORDS_MS = 90 * 86_400_000;
/** Events of ended jobs are kept for so long, from when they were taken or else were written. */
const EVENTS_MS = 30 * 86_400_000;
const AT_ONCE = 50;

/** In rounds: measures what waits; and, one process at a time, takes up what was left lying and ends what is past its time. */
export function keepUp(deps: WorkerDeps): Closable {
  const sweepObjects = createObjectSweep(deps);
  return repeatUntilClosed(() => measure(deps).then(() => withAdvisoryLock(deps.pool, LOCK, () => round(deps, sweepObjects))), {
    intervalMs: deps.pace.upkeepMs,
    onError: (error) => deps.logger.warn({ err: error }, 'the upkeep of exports failed; it is tried again'),
  });
}

/** What the upkeep does in one round. */
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

/** Parts whose jobs are added to the queue in one round, at most. */
const DUE_PARTS_MAX = 1_000;

/**
 * Takes parts back from silent workers, and adds the jobs of what is due. Most are in the queue already and are not added again; others
 * were lost with Redis or with their worker.
 */
export function searchDueJobs({ pool, clock, pace, queue, metrics, logger }: WorkerDeps): Closable {
  return searchDueWork({
    async search() {
      const nowMs = clock();
      await takeBackParts(pool, nowMs - pace.silentMs);
      const publishable = await listPublishable(pool, nowMs - pace.silentMs, AT_ONCE);
      metrics.settlePending(publishable.length);
      const parts = await listDueParts(pool, nowMs, DUE_PARTS_MAX);
      return [...publishable.map(workOfPublication), ...parts.map((part) => workOfPart(part, nowMs))];
    },
    notify: (work) => queue.add(work),
    everyMs: pace.upkeepMs,
    logger,
  });
}

/** Every process says what it finds: one that no longer has the lock would go on saying what was. */
async function measure({ pool, clock, metrics }: WorkerDeps): Promise<void> {
  metrics.oldestQueued(await oldestQueuedSeconds(pool, clock()));
  metrics.jobs(await countJobs(pool));
}

async function forgetEvents({ pool, logger }: WorkerDeps, beforeMs: number): Promise<void> {
  await forgetTaken(pool, beforeMs);
  const events = await forgetUntaken(pool, beforeMs);
  if (events > 0) logger.error({ events }, 'events that nobody took were dropped');
}

async function expire({ pool, clock, store }: WorkerDeps, jobId: string): Promise<void> {
  const keys = await inTransaction(pool, async (client) =>
    (await advance(client, jobId, { to: 'expired', nowMs: clock() })) === undefined ? [] : removeFiles(client, { jobId }),
  );
  for (const key of keys) await store.delete(key);
}

/** How often the store is swept, and how old an object must be that no job has. */
const SWEEP_EVERY_MS = 3_600_000;
const OBJECT_ABANDONED_MS = 24 * 3_600_000;
/** Files in the making that nobody has written to for so long are those of a killed worker. */
const SCRATCH_MS = 3_600_000;
const KEYS_AT_ONCE = 500;

/** Removes objects that no job has, once an hour: what killed workers and late tries left behind. */
function createObjectSweep(deps: Pick<WorkerDeps, 'pool' | 'store' | 'clock' | 'logger'>): () => Promise<void> {
  let sweptMs = -Infinity;
  return async () => {
    if (performance.now() - sweptMs < SWEEP_EVERY_MS) return;
    await deps.store.sweepScratch(SCRATCH_MS);
    const removed = await sweepObjects(deps, deps.clock() - OBJECT_ABANDONED_MS);
    if (removed > 0) deps.logger.info({ objects: removed }, 'objects that no job has were removed');
    sweptMs = performance.now();
  };
}

/** Removes objects that no job has and that were put before an instant. @returns how many */
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
