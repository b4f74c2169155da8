import { statfs } from 'node:fs/promises';
import { rm } from 'node:fs/promises';
import type { WorkerDeps } from '../worker-deps';
import { largestDuePart } from '../store/upkeep';

/**
 * Whether the disk that files are made on has room for twice the largest part that waits. No part is begun without, and an alarm is
 * logged.
 */
export async function hasSpace({
  store,
  pool,
  metrics,
  logger,
}: Pick<WorkerDeps, 'store' | 'pool' | 'metrics' | 'logger'>): Promise<boolean> {
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
