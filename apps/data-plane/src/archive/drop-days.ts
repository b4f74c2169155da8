import { ArchiveCorruptError, type ObjectStore, verifyArchiveBytes } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { beginHotAt, listFilesOf } from '../store/archive-files';
import { DAY_MS, dropPartition, listPartitions, type Partition } from '../store/partitions';

export interface DropDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

/** A day is not over, or its rows are not all in verified files of the archive, so that it can't be dropped. */
class DayNotArchivedError extends Error {
  override readonly name = 'DayNotArchivedError';
}

/** Days of a channel that end at or before `beforeMs`, oldest first. */
export async function listDaysBefore(pool: Pool, channel: Channel, beforeMs: number): Promise<Partition[]> {
  const partitions = await listPartitions(pool);
  return partitions.filter((partition) => partition.channel === channel && partition.dayMs + DAY_MS <= beforeMs);
}

/**
 * Drops one day of a channel, and moves where its hot rows begin in the same transaction. First the bytes of every file that
 * holds rows of the day are held against their SHA-256 again; then `drop_log_entry_day` of the database, with writing to the day shut,
 * counts its rows against the files' spans.
 * @throws {DayNotArchivedError} when the day is not over, a row is in no file, or a file's rows are not as many as in the day
 * @throws {ArchiveCorruptError} when a file is missing or was changed
 */
export async function dropDay({ pool, store }: DropDeps, day: Partition): Promise<void> {
  const verified = await verifyFiles(pool, store, day);
  await inTransaction(pool, async (client) => {
    await dropArchived(client, day, verified);
    await beginHotAt(client, day.channel, day.dayMs + DAY_MS);
  });
}

/** Keys of the files that hold rows of a day, all found whole. */
async function verifyFiles(pool: Pool, store: ObjectStore, { channel, dayMs }: Partition): Promise<string[]> {
  const files = await listFilesOf(pool, channel, dayMs, dayMs + DAY_MS);
  for (const file of files) await verifyArchiveBytes(store, file);
  return files.map(({ key }) => key);
}

/** SQLSTATE object_not_in_prerequisite_state: what the database says of a day that has to stay. */
const HAS_TO_STAY = '55000';

async function dropArchived(client: PoolClient, day: Partition, verified: readonly string[]): Promise<void> {
  await dropPartition(client, day, verified).catch((error: Error & { readonly code?: string }) => {
    throw error.code === HAS_TO_STAY ? new DayNotArchivedError(error.message) : error;
  });
}

/** Whether a day stays because of what is in it, not because a store failed. */
export function isDayFault(error: unknown): boolean {
  return error instanceof DayNotArchivedError || error instanceof ArchiveCorruptError;
}
