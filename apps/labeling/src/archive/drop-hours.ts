import { type ObjectStore, verifyArchiveBytes } from '@market-state/archive';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { type ArchivedKind, hourEnd } from './archived-kind';

/** The rows of an hour are not those of its file: they can't leave the database. */
export class HourNotArchivedError extends Error {
  override readonly name = 'HourNotArchivedError';
}

interface FileRow {
  readonly hour_ms: string;
  readonly object_key: string;
  readonly row_total: string;
  readonly sha256: string;
}

/**
 * Removes the rows of a symbol's archived hours that end at or before `beforeMs`, oldest first, an hour at a time: its file's
 * bytes are held against their SHA-256 again, and as many rows must go as the file has. Where an event's packet went is kept. An hour
 * stays until the index of events, which is entered in the order of windows, has one of a later hour.
 * @returns hours removed
 * @throws {HourNotArchivedError} when an hour has other rows than its file
 * @throws {ArchiveCorruptError} when a file is missing or was changed
 */
export async function dropHours(pool: Pool, store: ObjectStore, kind: ArchivedKind, symbol: string, beforeMs: number): Promise<number> {
  const { rows } = await pool.query<FileRow>(
    `SELECT hour_ms, object_key, row_total, sha256 FROM archive_file WHERE symbol = $1 AND channel = $2 AND state = 'hot'
      AND hour_ms + $4 <= $3
       AND EXISTS (SELECT FROM event WHERE event.symbol = $1 AND window_end_ms >= hour_ms + $4) ORDER BY hour_ms`,
    [symbol, kind.channel, beforeMs, hourEnd(0)],
  );
  for (const { hour_ms, object_key: key, row_total, sha256 } of rows) {
    await verifyArchiveBytes(store, { key, sha256 });
    await dropHour(pool, kind, symbol, Number(hour_ms), Number(row_total));
  }
  return rows.length;
}

function dropHour(pool: Pool, { channel, table }: ArchivedKind, symbol: string, hourMs: number, rowTotal: number): Promise<void> {
  const hour = [symbol, hourMs, hourEnd(hourMs)];
  return inTransaction(pool, async (client) => {
    if (table === 'packet') {
      await client.query(
        `INSERT INTO archived_packet (event_id, symbol, window_end_ms)
         SELECT event_id, symbol, window_end_ms FROM packet WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3`,
        hour,
      );
    }
    const { rowCount } = await client.query(`DELETE FROM ${table} WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3`, hour);
    if (rowCount !== rowTotal)
      throw new HourNotArchivedError(`${symbol} has ${rowCount} ${channel} in the hour of ${hourMs}, its file ${rowTotal}`);
    await client.query(`UPDATE archive_file SET state = 'archived' WHERE symbol = $1 AND channel = $2 AND hour_ms = $3`, [
      symbol,
      channel,
      hourMs,
    ]);
  });
}
