import { deleteArchiveFile, type ObjectStore } from '@market-state/archive';
import type { Channel } from '@market-state/market-data';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { beginArchiveAt, forgetHour, listEndedFiles } from '../store/archive-files';

export interface DeleteDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

/** Files of one look. */
const FILES_MAX = 200;

/**
 * Deletes the files of a channel whose rows are all older than `beforeMs`, exchange time, and no longer hot; gives back how many.
 * Where the archive begins is moved first, so that no reader is sent to a file that goes; what is known of a file is forgotten
 * last, so that a stop in between leaves nothing behind that nobody knows of.
 */
export async function deleteFilesBefore({ pool, store }: DeleteDeps, channel: Channel, beforeMs: number): Promise<number> {
  await beginArchiveAt(pool, channel, beforeMs);
  let total = 0;
  for (;;) {
    const ended = await listEndedFiles(pool, channel, FILES_MAX);
    for (const { key, ...hour } of ended) {
      await deleteArchiveFile(store, key);
      await inTransaction(pool, (client) => forgetHour(client, hour));
      total += 1;
    }
    if (ended.length < FILES_MAX) return total;
  }
}
