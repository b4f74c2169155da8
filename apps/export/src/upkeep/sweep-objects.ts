import { keysInUse } from '../store/files';
import type { WorkerDeps } from '../worker-deps';

/** How often the store is swept, and how old an object must be that no job has. */
const SWEEP_EVERY_MS = 3_600_000;
const ABANDONED_MS = 24 * 3_600_000;
/** Files in the making that nobody has written to for so long are those of a killed worker. */
const SCRATCH_MS = 3_600_000;
const KEYS_AT_ONCE = 500;

/** Removes objects that no job has, once an hour: what killed workers and late tries left behind. */
export function createObjectSweep(deps: Pick<WorkerDeps, 'pool' | 'store' | 'clock' | 'logger'>): () => Promise<void> {
  let sweptMs = -Infinity;
  return async () => {
    if (performance.now() - sweptMs < SWEEP_EVERY_MS) return;
    await deps.store.sweepScratch(SCRATCH_MS);
    const removed = await sweepObjects(deps, deps.clock() - ABANDONED_MS);
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
