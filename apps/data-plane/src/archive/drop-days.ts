import { ArchiveCorruptError, type ObjectStore, verifyArchiveBytes } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { DAY_MS, listPartitions, type Partition, PARTITION_LOCK, partitionName } from '../store/partitions';

export interface DropDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

/** A day's rows are not all in verified files of the archive, so that they can't be dropped. */
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
 * holds rows of the day are held against their SHA-256 again; then, with writing to the day shut, its rows are counted against
 * the files' spans.
 * @throws {DayNotArchivedError} when a row is in no file, or a file's rows are not as many as in the day
 * @throws {ArchiveCorruptError} when a file is missing or was changed
 */
export async function dropDay({ pool, store }: DropDeps, day: Partition): Promise<void> {
  const checked = await checkFiles(pool, store, day);
  await inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL lock_timeout = '5s'`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
    await client.query(`LOCK TABLE ${partitionName(day)} IN SHARE ROW EXCLUSIVE MODE`);
    await refuseUnarchived(client, day, checked);
    await client.query(`DROP TABLE ${partitionName(day)}`);
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
async function checkFiles(pool: Pool, store: ObjectStore, { channel, dayMs }: Partition): Promise<string[]> {
  const { rows } = await pool.query<FileRow>(FILES, [channel, dayMs, dayMs + DAY_MS]);
  for (const { object_key: key, sha256 } of rows) await verifyArchiveBytes(store, { key, sha256 });
  return rows.map(({ object_key }) => object_key);
}

async function refuseUnarchived(client: PoolClient, day: Partition, checked: readonly string[]): Promise<void> {
  const table = partitionName(day);
  const { rows: totals } = await client.query<{ total: string }>(`SELECT count(*) AS total FROM ${table}`);
  const { rows: files } = await client.query<{ object_key: string; row_total: string; total: string; is_inside: boolean }>(
    `SELECT object_key, row_total, min_exchange_ms >= $2 AND max_exchange_ms < $3 AS is_inside,
       (SELECT count(*) FROM ${table} AS row WHERE row.symbol = file.symbol AND row.ordinal BETWEEN file.first_ordinal AND file.last_ordinal) AS total
     FROM archive_file AS file WHERE channel = $1 AND object_key = ANY($4)`,
    [day.channel, day.dayMs, day.dayMs + DAY_MS, checked],
  );
  const other = files.find(({ row_total, total, is_inside }) => (is_inside ? total !== row_total : Number(total) > Number(row_total)));
  if (other !== undefined) throw new DayNotArchivedError(`${table} has ${other.total} rows of ${other.object_key}, which has ${other.row_total}`);
  const total = Number(totals[0]?.total);
  const archived = files.reduce((sum, file) => sum + Number(file.total), 0);
  if (archived !== total) throw new DayNotArchivedError(`${total - archived} rows of ${table} are in no file of the archive`);
}

/** Whether a day stays because of what is in it, not because a store failed. */
export function isDayFault(error: unknown): boolean {
  return error instanceof DayNotArchivedError || error instanceof ArchiveCorruptError;
}
