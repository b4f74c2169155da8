import { type ObjectStore, verifyArchiveBytes } from '@market-state/archive';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { deleteHour, listHotFiles, markArchived, noteArchivedPackets } from '../store/archive-files';
import type { ArchivedKind } from './archived-kind';

/** The rows of an hour are not those of its file: they can't leave the database. */
export class HourNotArchivedError extends Error {
  override readonly name = 'HourNotArchivedError';
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
  const files = await listHotFiles(pool, kind.channel, symbol, beforeMs);
  for (const { file, hourMs, rowTotal } of files) {
    await verifyArchiveBytes(store, file);
    await dropHour(pool, kind, symbol, hourMs, rowTotal);
  }
  return files.length;
}

function dropHour(pool: Pool, { channel, table }: ArchivedKind, symbol: string, hourMs: number, rowTotal: number): Promise<void> {
  return inTransaction(pool, async (client) => {
    if (table === 'packet') await noteArchivedPackets(client, symbol, hourMs);
    const deleted = await deleteHour(client, table, symbol, hourMs);
    if (deleted !== rowTotal)
      throw new HourNotArchivedError(`${symbol} has ${deleted} ${channel} in the hour of ${hourMs}, its file ${rowTotal}`);
    await markArchived(client, { symbol, channel, hourMs });
  });
}
