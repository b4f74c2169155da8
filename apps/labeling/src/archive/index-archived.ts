import { ArchiveCorruptError, type ArchiveReader } from '@market-state/archive';
import { inTransaction } from '@market-state/postgres';
import type { Pool } from 'pg';
import { eventsFrom } from '../store/store-events';
import { hourEnd } from './archived-kind';
import { PACKET_FILE_COLUMNS } from './packet-kind';

/** What of a packet its event is made from. */
const READ = new Set(['symbol', 'window_end_ms', 'sequence', 'event_id', 'known_ts_ms', 'source_kind', 'body']);
const COLUMNS = PACKET_FILE_COLUMNS.filter(({ name }) => READ.has(name));
/** Packets of one statement. */
const PAGE_ROWS = 40;

const FROM_JSON = eventsFrom('jsonb_populate_recordset(NULL::packet, $1::jsonb) AS packet');

interface FileRow {
  readonly hour_ms: string;
  readonly object_key: string;
  readonly sha256: string;
}

/**
 * Enters into the index of events the oldest hour of a symbol that was in the archive alone before there was an index.
 * @returns whether there was one
 * @throws {ArchiveCorruptError} when its file is missing or was changed
 */
export async function indexArchivedHour(pool: Pool, reader: Pick<ArchiveReader, 'read'>, symbol: string): Promise<boolean> {
  const { rows } = await pool.query<FileRow>(
    `SELECT hour_ms, object_key, sha256 FROM archive_file AS file WHERE symbol = $1 AND channel = 'packets' AND state = 'archived'
      AND row_total > 0
       AND NOT EXISTS (SELECT FROM event WHERE event.symbol = file.symbol AND window_end_ms >= file.hour_ms
       AND window_end_ms < file.hour_ms + $2)
     ORDER BY hour_ms LIMIT 1`,
    [symbol, hourEnd(0)],
  );
  const [file] = rows;
  if (file === undefined) return false;
  const packets = await reader.read({ key: file.object_key, sha256: file.sha256 }, { columns: COLUMNS, filters: [] });
  if (packets.length === 0) throw new ArchiveCorruptError(file.object_key, 'it has no packet');
  const records = packets.map((values) => Object.fromEntries(COLUMNS.map(({ name }, place) => [name, values[place]])));
  await inTransaction(pool, async (client) => {
    for (let from = 0; from < records.length; from += PAGE_ROWS)
      await client.query(FROM_JSON, [JSON.stringify(records.slice(from, from + PAGE_ROWS))]);
  });
  return true;
}
