import { ArchiveCorruptError, type ObjectStore, verifyArchiveBytes } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { DAY_MS, listPartitions, type Partition } from '../store/partitions';

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

/** Time to lock a day and to count its rows twice, milliseconds. */
const DROP_TIME_MS = 30_000;

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
    await client.query(`SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = ${DROP_TIME_MS}`);
    await dropArchived(client, day, verified);
    await client.query(
      `INSERT INTO retention (channel, hot_from_ms, archive_from_ms) VALUES ($1, $2, 0)
       ON CONFLICT (channel) DO UPDATE SET hot_from_ms = greatest(retention.hot_from_ms, excluded.hot_from_ms)`,
      [day.channel, day.dayMs + DAY_MS],
    );
  });
}

interface FileRow {
  readonly object_key: string;
  readonly sha256: string;
}

const FILES = `SELECT object_key, sha256 FROM archive_file WHERE channel = $1 AND max_exchange_ms >= $2 AND min_exchange_ms < $3`;

/** Keys of the files that hold rows of a day, all found whole. */
async function verifyFiles(pool: Pool, store: ObjectStore, { channel, dayMs }: Partition): Promise<string[]> {
  const { rows } = await pool.query<FileRow>(FILES, [channel, dayMs, dayMs + DAY_MS]);
  for (const { object_key: key, sha256 } of rows) await verifyArchiveBytes(store, { key, sha256 });
  return rows.map(({ object_key }) => object_key);
}

/** SQLSTATE object_not_in_prerequisite_state: what the database says of a day that has to stay. */
const HAS_TO_STAY = '55000';

async function dropArchived(client: PoolClient, { channel, dayMs }: Partition, verified: readonly string[]): Promise<void> {
  const statement = { text: 'SELECT drop_log_entry_day($1, $2, $3)', values: [channel, dayMs, verified], query_timeout: DROP_TIME_MS };
  await client.query(statement).catch((error: Error & { readonly code?: string }) => {
    throw error.code === HAS_TO_STAY ? new DayNotArchivedError(error.message) : error;
  });
}

/** Whether a day stays because of what is in it, not because a store failed. */
export function isDayFault(error: unknown): boolean {
  return error instanceof DayNotArchivedError || error instanceof ArchiveCorruptError;
}
