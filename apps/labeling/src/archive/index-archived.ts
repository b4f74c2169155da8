import { ArchiveCorruptError, type ArchiveReader } from '@market-state/archive';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { firstFileWithoutEvents } from '../store/archive-files';
import { EVENT_SOURCE_COLUMNS, type EventSource, storeEvents } from '../store/store-events';
import { PACKET_FILE_COLUMNS } from './packet-kind';

const READ: ReadonlySet<string> = new Set(EVENT_SOURCE_COLUMNS);
const COLUMNS = PACKET_FILE_COLUMNS.filter(({ name }) => READ.has(name));
/** Packets of one statement. */
const PAGE_ROWS = 40;

/**
 * Enters into the index of events the oldest hour of a symbol that was in the archive alone before there was an index.
 * @returns whether there was one
 * @throws {ArchiveCorruptError} when its file is missing or was changed
 */
export async function indexArchivedHour(pool: Pool, reader: Pick<ArchiveReader, 'read'>, symbol: string): Promise<boolean> {
  const oldest = await firstFileWithoutEvents(pool, symbol);
  if (oldest === undefined) return false;
  const { file } = oldest;
  const packets = await reader.read(file, { columns: COLUMNS, filters: [] });
  if (packets.length === 0) throw new ArchiveCorruptError(file.key, 'it has no packet');
  const records = packets.map((values) => Object.fromEntries(COLUMNS.map(({ name }, index) => [name, values[index]])) as EventSource);
  await inTransaction(pool, async (client) => {
    for (let from = 0; from < records.length; from += PAGE_ROWS) await storeEvents(client, records.slice(from, from + PAGE_ROWS));
  });
  return true;
}
