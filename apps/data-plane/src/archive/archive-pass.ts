import { type ArchiveWriter, createArchiveWriter, type ObjectStore, StoreError } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import { isTransientDatabaseError } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { archiveHour, type ArchiveHourDeps } from './archive-hour';
import type { ArchiveMetrics } from './archive-metrics';
import { type FinishedHour, listFinishedHours } from '../store/finished-hours';
import { objectKeyOf } from './object-key';

export interface ArchivePassDeps extends Omit<ArchiveHourDeps, 'writer'> {
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: ArchiveMetrics;
  /** The symbols that are played. */
  readonly symbols: readonly string[];
}

/** Finished hours looked up at once. */
const HOURS_MAX = 500;
const HOUR_MS = 3_600_000;
/** An hour that can't be archived is tried again after so many milliseconds. */
const BLOCKED_PAUSE_MS = 300_000;

/** Hours that could not be archived, by key, and when each was last tried. */
export type BlockedHours = Map<string, number>;

/**
 * Archives every finished hour that has no file, oldest first, one at a time. An hour that can't be archived is left out, told
 * of, and tried again five minutes later; the others go on. Gives back how many were archived. Rejects when
 * the database or the store is away.
 */
export async function archivePass(deps: ArchivePassDeps, lock: PoolClient, blocked: BlockedHours, signal: AbortSignal): Promise<number> {
  const hours = await listFinishedHours(deps.pool, deps.symbols, HOURS_MAX);
  forgetOthers(blocked, hours);
  deps.metrics.lag(lagOf(hours));
  const writer = createArchiveWriter(deps.store);
  try {
    const total = await archiveHours(deps, writer, lock, hours, blocked, signal);
    if (total > 0) deps.metrics.lag(lagOf(await listFinishedHours(deps.pool, deps.symbols, HOURS_MAX)));
    return total;
  } finally {
    await writer.close();
  }
}

async function archiveHours(
  deps: ArchivePassDeps,
  writer: ArchiveWriter,
  lock: PoolClient,
  hours: readonly FinishedHour[],
  blocked: BlockedHours,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const hour of hours) {
    if (signal.aborted) return total;
    const key = objectKeyOf(hour);
    const triedAtMs = blocked.get(key);
    if (triedAtMs !== undefined && deps.nowMs() - triedAtMs < BLOCKED_PAUSE_MS) continue;
    try {
      const manifest = await archiveHour({ ...deps, writer }, lock, hour);
      total += 1;
      blocked.delete(key);
      deps.metrics.archived(hour.channel, manifest);
      deps.logger.info({ key, rows: manifest.rows, bytes: manifest.bytes }, 'an hour is archived');
    } catch (error) {
      if (isTransientDatabaseError(error) || error instanceof StoreError) throw error;
      blocked.set(key, deps.nowMs());
      deps.logger.error({ key, err: error }, 'an hour cannot be archived; its rows stay hot');
    }
    deps.metrics.blockedHours(blocked.size);
  }
  return total;
}

function lagOf(hours: readonly FinishedHour[]): number {
  const oldest = hours[0];
  const newestMs = Math.max(...hours.map(({ hourMs }) => hourMs));
  return oldest === undefined ? 0 : (newestMs - oldest.hourMs) / HOUR_MS + 1;
}

function forgetOthers(blocked: BlockedHours, hours: readonly FinishedHour[]): void {
  const keys = new Set(hours.map(objectKeyOf));
  for (const key of blocked.keys()) if (!keys.has(key)) blocked.delete(key);
}
