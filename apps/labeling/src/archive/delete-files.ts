import { deleteArchiveFile, type ObjectStore } from '@market-state/archive';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { deleteHour, forgetFile, markEnding } from '../store/archive-files';
import type { ArchivedKind } from './archived-kind';

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
  const ending = await markEnding(pool, channel, symbol, beforeMs);
  for (const { hourMs, file } of ending) {
    await deleteArchiveFile(store, file.key);
    await inTransaction(pool, async (client) => {
      if (table === 'packet') {
        await deleteHour(client, 'archived_packet', symbol, hourMs);
        await deleteHour(client, 'event', symbol, hourMs);
      }
      await forgetFile(client, { symbol, channel, hourMs });
    });
  }
  return ending.length;
}
