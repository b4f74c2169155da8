import type { ArchiveFileRef, Manifest } from '@market-state/archive';
import { createStatements, type Queryable, run } from '@market-state/postgres';
import type { Pool } from 'pg';
import type { DB } from './generated/tables';
import type { ArchiveTotals } from '../events/event-index';
import { readRows } from './reading';
import type { WindowSpan } from '../packets/packet';

const tables = createStatements<DB>();

export type ArchivedChannel = 'packets' | 'checkpoints';

export type ArchivedTable = 'packet' | 'checkpoint';

interface ArchivedHour {
  readonly symbol: string;
  readonly channel: ArchivedChannel;
  readonly hourMs: number;
}

interface ArchiveFile {
  readonly hourMs: number;
  readonly file: ArchiveFileRef;
  readonly rowTotal: number;
}

export const HOUR_MS = 3_600_000;

export function hourOf(windowEndMs: number): number {
  return Math.floor(windowEndMs / HOUR_MS) * HOUR_MS;
}

export function hourEnd(hourMs: number): number {
  return hourMs + HOUR_MS;
}

export async function listSymbols(on: Queryable): Promise<string[]> {
  const { rows } = await run(on, tables.selectFrom('symbol_position').select('symbol').orderBy('symbol'));
  return rows.map(({ symbol }) => symbol);
}

export async function newestWindowEnd(on: Queryable, symbol: string): Promise<number | undefined> {
  const newest = tables.selectFrom('packet').select(({ fn }) => fn.max('window_end_ms').as('newest_ms'));
  const { rows } = await run(on, newest.where('symbol', '=', symbol));
  const newestMs: string | null | undefined = rows[0]?.newest_ms;
  return newestMs === null || newestMs === undefined ? undefined : Number(newestMs);
}

export async function firstWindowWithoutFile(
  on: Queryable,
  table: ArchivedTable,
  channel: ArchivedChannel,
  symbol: string,
): Promise<number | undefined> {
  const { rows } = await on.query<{ first_ms: string | null }>(
    `SELECT (SELECT min(window_end_ms) FROM ${table} WHERE symbol = $1 AND window_end_ms >= file.next_ms) AS first_ms
     FROM (SELECT coalesce(max(hour_ms) + ${HOUR_MS}, 0) AS next_ms FROM archive_file WHERE symbol = $1 AND channel = $2) AS file`,
    [symbol, channel],
  );
  const firstMs = rows[0]?.first_ms;
  return firstMs === null || firstMs === undefined ? undefined : Number(firstMs);
}

export async function readHourRows(
  on: Queryable,
  table: ArchivedTable,
  columns: readonly string[],
  { symbol, hourMs }: Pick<ArchivedHour, 'symbol' | 'hourMs'>,
  afterMs: number,
  limit: number,
): Promise<Record<string, unknown>[]> {
  const { rows } = await on.query<Record<string, unknown>>(
    `SELECT ${columns.join(', ')} FROM ${table} WHERE symbol = $1 AND window_end_ms > $2 AND window_end_ms < $3 ORDER BY window_end_ms
      LIMIT $4`,
    [symbol, afterMs, hourEnd(hourMs), limit],
  );
  return rows;
}

/** Idempotent. */
export async function registerFile(on: Queryable, { symbol, channel, hourMs }: ArchivedHour, manifest: Manifest): Promise<void> {
  const { object_key, rows, bytes, sha256 } = manifest;
  await run(
    on,
    tables
      .insertInto('archive_file')
      .values({
        symbol,
        channel,
        hour_ms: String(hourMs),
        object_key,
        row_total: String(rows),
        byte_total: String(bytes),
        sha256,
        state: 'hot',
      })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

interface FileRow {
  readonly hour_ms: string;
  readonly object_key: string;
  readonly row_total: string;
  readonly sha256: string;
}

function toFile({ hour_ms: hourMs, object_key: key, row_total: rowTotal, sha256 }: FileRow): ArchiveFile {
  return { hourMs: Number(hourMs), file: { key, sha256 }, rowTotal: Number(rowTotal) };
}

/**
 * Files of hours that end at or before `beforeMs` and still have rows in the database, oldest first. An hour is omitted
 * until the event index, which is filled in window order, has one of a later hour.
 */
export async function listHotFiles(on: Queryable, channel: ArchivedChannel, symbol: string, beforeMs: number): Promise<ArchiveFile[]> {
  const { rows } = await on.query<FileRow>(
    `SELECT hour_ms, object_key, row_total, sha256 FROM archive_file
     WHERE symbol = $1 AND channel = $2 AND state = 'hot' AND hour_ms + ${HOUR_MS} <= $3
       AND EXISTS (SELECT FROM event WHERE event.symbol = $1 AND window_end_ms >= hour_ms + ${HOUR_MS}) ORDER BY hour_ms`,
    [symbol, channel, beforeMs],
  );
  return rows.map(toFile);
}

export async function noteArchivedPackets(on: Queryable, symbol: string, hourMs: number): Promise<void> {
  await on.query(
    `INSERT INTO archived_packet (event_id, symbol, window_end_ms)
     SELECT event_id, symbol, window_end_ms FROM packet WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3`,
    [symbol, hourMs, hourEnd(hourMs)],
  );
}

export async function deleteHour(
  on: Queryable,
  table: ArchivedTable | 'archived_packet' | 'event',
  symbol: string,
  hourMs: number,
): Promise<number> {
  const { rowCount } = await on.query(`DELETE FROM ${table} WHERE symbol = $1 AND window_end_ms >= $2 AND window_end_ms < $3`, [
    symbol,
    hourMs,
    hourEnd(hourMs),
  ]);
  return rowCount ?? 0;
}

export async function markArchived(on: Queryable, { symbol, channel, hourMs }: ArchivedHour): Promise<void> {
  await run(
    on,
    tables
      .updateTable('archive_file')
      .set({ state: 'archived' })
      .where('symbol', '=', symbol)
      .where('channel', '=', channel)
      .where('hour_ms', '=', String(hourMs)),
  );
}

/** Marks archive-only files of hours that end at or before `beforeMs`, so that readers skip them. */
export async function markEnding(on: Queryable, channel: ArchivedChannel, symbol: string, beforeMs: number): Promise<ArchiveFile[]> {
  const { rows } = await on.query<FileRow>(
    `UPDATE archive_file SET state = 'ending' WHERE symbol = $1 AND channel = $2 AND state <> 'hot' AND hour_ms + ${HOUR_MS} <= $3
     RETURNING hour_ms, object_key, row_total, sha256`,
    [symbol, channel, beforeMs],
  );
  return rows.map(toFile);
}

export async function forgetFile(on: Queryable, { symbol, channel, hourMs }: ArchivedHour): Promise<void> {
  await run(
    on,
    tables.deleteFrom('archive_file').where('symbol', '=', symbol).where('channel', '=', channel).where('hour_ms', '=', String(hourMs)),
  );
}

export async function firstFileWithoutEvents(on: Queryable, symbol: string): Promise<ArchiveFile | undefined> {
  const { rows } = await on.query<FileRow>(
    `SELECT hour_ms, object_key, row_total, sha256 FROM archive_file AS file
     WHERE symbol = $1 AND channel = 'packets' AND state = 'archived' AND row_total > 0
       AND NOT EXISTS (SELECT FROM event WHERE event.symbol = file.symbol AND window_end_ms >= file.hour_ms
         AND window_end_ms < file.hour_ms + ${HOUR_MS})
     ORDER BY hour_ms LIMIT 1`,
    [symbol],
  );
  return rows[0] === undefined ? undefined : toFile(rows[0]);
}

export async function isArchiveNeeded(on: Queryable): Promise<boolean> {
  const { rows } = await run(on, tables.selectFrom('archive_file').select('symbol').where('state', '<>', 'hot').limit(1));
  return rows.length > 0;
}

/** @param toMs only hours that end by it; null: every hour */
export type ReadArchiveTotals = (channel: ArchivedChannel, symbol: string, toMs: number | null) => Promise<ArchiveTotals>;

/** SQL of the totals; all parameters are SQL fragments. */
export function totalsOf(symbol: string, channel: string, toMs: string): string {
  return `
    SELECT count(*) AS hour_total, coalesce(sum(row_total), 0) AS row_total, coalesce(sum(byte_total), 0) AS byte_total,
      count(*) FILTER (WHERE byte_total IS NULL) AS unsized_total,
      max(hour_ms) FILTER (WHERE state = 'archived') AS last_archived_ms
    FROM archive_file WHERE symbol = ${symbol} AND channel = ${channel} AND state <> 'ending'
      AND (${toMs} IS NULL OR hour_ms + ${HOUR_MS} <= ${toMs})`;
}

export type TotalsRow = Readonly<Record<'hour_total' | 'row_total' | 'byte_total' | 'unsized_total', string>> & {
  readonly last_archived_ms: string | null;
};

const TOTALS = totalsOf('$1', '$2', '$3::bigint');

export function createArchiveTotals(pool: Pool): ReadArchiveTotals {
  return async (channel, symbol, toMs) => {
    const [row] = await readRows<TotalsRow>(pool, TOTALS, [symbol, channel, toMs]);
    if (row === undefined) throw new Error('an aggregate gave no row');
    return fromTotalsRow(row);
  };
}

export function fromTotalsRow(row: TotalsRow): ArchiveTotals {
  return {
    hourTotal: Number(row.hour_total),
    rowTotal: Number(row.row_total),
    byteTotal: row.unsized_total === '0' ? Number(row.byte_total) : undefined,
    hotFromMs: row.last_archived_ms === null ? 0 : Number(row.last_archived_ms) + HOUR_MS,
  };
}

export interface ArchivedFiles {
  list(channel: ArchivedChannel, span: WindowSpan): Promise<ArchiveFileRef[]>;
  windowOf(eventId: string): Promise<{ readonly symbol: string; readonly windowEndMs: number } | undefined>;
}

interface FileRefRow {
  readonly object_key: string;
  readonly sha256: string;
}

export function createArchivedFiles(pool: Pool): ArchivedFiles {
  return {
    async list(channel, { symbol, fromMs, toMs }) {
      const rows = await readRows<FileRefRow>(
        pool,
        `SELECT object_key, sha256 FROM archive_file
         WHERE symbol = $1 AND channel = $2 AND state = 'archived' AND hour_ms >= $3 AND ($4::bigint IS NULL OR hour_ms < $4)
           ORDER BY hour_ms`,
        [symbol, channel, hourOf(fromMs ?? 0), toMs],
      );
      return rows.map(({ object_key: key, sha256 }) => ({ key, sha256 }));
    },
    async windowOf(eventId) {
      const [row] = await readRows<{ symbol: string; window_end_ms: string }>(
        pool,
        'SELECT symbol, window_end_ms FROM archived_packet WHERE event_id = $1',
        [eventId],
      );
      return row === undefined ? undefined : { symbol: row.symbol, windowEndMs: Number(row.window_end_ms) };
    },
  };
}
