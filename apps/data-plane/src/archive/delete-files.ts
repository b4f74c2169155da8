import { deleteArchiveFile, type ObjectStore } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';

export interface DeleteDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

/** Files of one look. */
const FILES_MAX = 200;

const ENDED = `
  SELECT file.symbol, file.hour_ms, file.object_key FROM archive_file AS file JOIN retention ON retention.channel = file.channel
  WHERE file.channel = $1 AND file.max_exchange_ms < retention.archive_from_ms ORDER BY file.hour_ms LIMIT ${FILES_MAX}`;

/**
 * Deletes the files of a channel whose rows are all older than `beforeMs`, exchange time, and no longer hot; gives back how many.
 * Where the archive begins is moved first, so that no reader is sent to a file that goes; what is known of a file is forgotten
 * last, so that a stop in between leaves nothing behind that nobody knows of.
 */
export async function deleteFilesBefore({ pool, store }: DeleteDeps, channel: Channel, beforeMs: number): Promise<number> {
  await pool.query(`UPDATE retention SET archive_from_ms = greatest(archive_from_ms, least($2, hot_from_ms)) WHERE channel = $1`, [
    channel,
    beforeMs,
  ]);
  let total = 0;
  for (;;) {
    const { rows } = await pool.query<{ symbol: string; hour_ms: string; object_key: string }>(ENDED, [channel]);
    for (const { symbol, hour_ms: hourMs, object_key: key } of rows) {
      await deleteArchiveFile(store, key);
      await inTransaction(pool, async (client) => {
        for (const table of ['archive_file', 'channel_hour']) {
          await client.query(`DELETE FROM ${table} WHERE symbol = $1 AND channel = $2 AND hour_ms = $3`, [symbol, channel, hourMs]);
        }
      });
      total += 1;
    }
    if (rows.length < FILES_MAX) return total;
  }
}
