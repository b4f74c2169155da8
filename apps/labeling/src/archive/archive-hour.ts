import type { ArchiveWriter, Manifest, Row } from '@market-state/archive';
import type { Pool, PoolClient } from 'pg';
import { readHourRows, registerFile } from '../store/archive-files';
import { type ArchivedKind, objectKeyOf } from './archived-kind';

/** Rows of one read: bodies of packets are large, and labelling goes on between two reads. */
const PAGE_ROWS = 16;

export interface HourDeps {
  readonly pool: Pool;
  readonly writer: ArchiveWriter;
}

/**
 * Archives one finished hour of a symbol: file, read back, manifest, and last of all its registration, over the connection that holds the
 * archiver's lock. Repeated after a stop anywhere, it ends the same.
 * @throws {ArchiveCorruptError} when the store does not give back what was written
 */
export async function archiveHour(
  { pool, writer }: HourDeps,
  lock: PoolClient,
  kind: ArchivedKind,
  symbol: string,
  hourMs: number,
): Promise<Manifest> {
  const { channel, layout } = kind;
  const key = objectKeyOf(channel, symbol, hourMs);
  const manifest = await writer.write({ key, layout, rows: () => rowsOf(pool, kind, symbol, hourMs), gapIds: [] });
  await registerFile(lock, { symbol, channel, hourMs }, manifest);
  return manifest;
}

async function* rowsOf(pool: Pool, { table, columns, toRow }: ArchivedKind, symbol: string, hourMs: number): AsyncGenerator<Row[]> {
  for (let afterMs = hourMs - 1; ; ) {
    const rows = await readHourRows(pool, table, columns, { symbol, hourMs }, afterMs, PAGE_ROWS);
    const last = rows.at(-1);
    if (last === undefined) return;
    afterMs = Number(last['window_end_ms']);
    yield rows.map(toRow);
  }
}
