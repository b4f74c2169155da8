import { manifestKeyOf, type ObjectStore } from '@market-state/archive';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { type ArchivedKind, hourEnd } from './archived-kind';

/**
 * Deletes the files of a symbol's hours that end at or before `beforeMs` and are in the archive alone. They are marked first, so
 * that no reader is sent to a file that goes, and forgotten last, so that a stop in between leaves nothing behind.
 * @returns files deleted
 */
export async function deleteFiles(
  pool: Pool,
  store: ObjectStore,
  { channel, table }: ArchivedKind,
  symbol: string,
  beforeMs: number,
): Promise<number> {
  const { rows } = await pool.query<{ hour_ms: string; object_key: string }>(
    `UPDATE archive_file SET state = 'ending' WHERE symbol = $1 AND channel = $2 AND state <> 'hot' AND hour_ms + $4 <= $3
      RETURNING hour_ms, object_key`,
    [symbol, channel, beforeMs, hourEnd(0)],
  );
  for (const { hour_ms, object_key: key } of rows) {
    const hourMs = Number(hour_ms);
    await store.delete(key);
    await store.delete(manifestKeyOf(key));
    await inTransaction(pool, async (client) => {
      if (table === 'packet') {
        const hour = [symbol, hourMs, hourEnd(hourMs)];
        await client.query('DELETE FROM archived_packet WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3', hour);
        await client.query('DELETE FROM event WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3', hour);
      }
      await client.query('DELETE FROM archive_file WHERE symbol = $1 AND channel = $2 AND hour_ms = $3', [symbol, channel, hourMs]);
    });
  }
  return rows.length;
}
