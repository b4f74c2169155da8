import { type Manifest, type ObjectStore, type Row, writeArchiveFile } from '@market-state/archive';
import type { Pool, PoolClient } from 'pg';
import { type ArchivedKind, hourEnd, objectKeyOf } from './archived-kind';

/** Rows of one read: bodies of packets are large, and labelling goes on between two reads. */
const PAGE_ROWS = 16;

export interface HourDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

/**
 * Archives one finished hour of a symbol: file, read back, manifest, and last of all the row in `archive_file`, written over the
 * connection that holds the archiver's lock. Done again after a stop at any place it ends the same.
 * @throws {ArchiveCorruptError} when the store does not give back what was written
 */
export async function archiveHour(
  { pool, store }: HourDeps,
  lock: PoolClient,
  kind: ArchivedKind,
  symbol: string,
  hourMs: number,
): Promise<Manifest> {
  const key = objectKeyOf(kind.channel, symbol, hourMs);
  const manifest = await writeArchiveFile(store, { key, layout: kind.layout, rows: () => rowsOf(pool, kind, symbol, hourMs), gapIds: [] });
  await lock.query(
    `INSERT INTO archive_file (symbol, channel, hour_ms, object_key, row_total, byte_total, sha256, state)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 'hot') ON CONFLICT DO NOTHING`,
    [symbol, kind.channel, hourMs, key, manifest.rows, manifest.bytes, manifest.sha256],
  );
  return manifest;
}

async function* rowsOf(pool: Pool, { table, columns, toRow }: ArchivedKind, symbol: string, hourMs: number): AsyncGenerator<Row[]> {
  for (let afterMs = hourMs - 1; ; ) {
    const { rows } = await pool.query<Record<string, unknown>>(
      `SELECT ${columns.join(', ')} FROM ${table} WHERE symbol = $1 AND window_end_ms > $2 AND window_end_ms < $3 ORDER BY window_end_ms
        LIMIT ${PAGE_ROWS}`,
      [symbol, afterMs, hourEnd(hourMs)],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    afterMs = Number(last['window_end_ms']);
    yield rows.map(toRow);
  }
}
