import type { Pool } from 'pg';
import type { PacketHour, PacketHours, PacketHoursFilter, StoredPackets } from '../events/event-index';
import { HOUR_MS } from './archive-files';
import { readRows } from './reading';
import { fromTotalsRow, totalsOf, type TotalsRow } from './archive-totals';
import type { EventFilter } from '../events/event';

interface Conditions {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Filter as conditions on table `event`. Words, tags and values become one query of one index. */
export function conditionsOf(filter: EventFilter): Conditions {
  const { symbol, fromMs, toMs, asOfMs } = filter;
  const lexemes = lexemesOf(filter);
  const wanted: readonly (readonly [condition: string, value: unknown])[] = [
    ['symbol =', symbol],
    ['window_end_ms >=', fromMs],
    ['window_end_ms <', toMs],
    // A packet is known only after its window ends; the second condition uses the index.
    ['known_ts_ms <=', asOfMs],
    ['window_end_ms <=', asOfMs],
    ['words @@', lexemes.length === 0 ? null : lexemes.map(quoted).join(' & ')],
  ];
  const given = wanted.filter(([, value]) => value !== null);
  const parts = given.map(([condition], index) => `${condition} $${index + 1}${condition === 'words @@' ? '::tsquery' : ''}`);
  return { text: parts.length === 0 ? 'true' : parts.join(' AND '), values: given.map(([, value]) => value) };
}

function lexemesOf({ words, tags, values }: EventFilter): string[] {
  return [...words, ...tags, ...Object.entries(values).map(([column, value]) => `${column}=${value}`)];
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function eventAt(direction: 'ASC' | 'DESC'): string {
  return `SELECT window_end_ms, sequence FROM event WHERE symbol = asked.symbol AND ${KEPT}
    AND ($2::bigint IS NULL OR (window_end_ms <= $2 AND known_ts_ms <= $2)) ORDER BY window_end_ms ${direction} LIMIT 1`;
}

interface HourRow {
  readonly hour_ms: string;
  readonly row_total: string;
  readonly object_key: string | null;
  readonly sha256: string | null;
  readonly byte_total: string | null;
}

/** Excludes packets whose file is being deleted: SQL condition on table `event`. */
const KEPT = `NOT EXISTS (SELECT FROM archive_file WHERE archive_file.symbol = event.symbol AND channel = 'packets'
  AND hour_ms = window_end_ms / ${HOUR_MS} * ${HOUR_MS} AND state = 'ending')`;

export async function readPacketHours(pool: Pool, filter: PacketHoursFilter): Promise<PacketHours> {
  const { text, values } = conditionsOf({ ...filter, words: [], tags: [], values: {} });
  const rows = await readRows<HourRow>(
    pool,
    `SELECT counted.hour_ms, counted.row_total, object_key, sha256, byte_total
     FROM (SELECT symbol, window_end_ms / ${HOUR_MS} * ${HOUR_MS} AS hour_ms, count(*) AS row_total FROM event WHERE ${text} GROUP BY 1, 2)
       AS counted
     LEFT JOIN archive_file AS file ON file.symbol = counted.symbol AND channel = 'packets' AND file.hour_ms = counted.hour_ms
     WHERE file.state IS DISTINCT FROM 'ending' ORDER BY 1`,
    [...values],
  );
  return { hours: rows.map(toHour), keptFromMs: await readStoredFrom(pool, filter.symbol) };
}

async function readStoredFrom(pool: Pool, symbol: string): Promise<number | undefined> {
  const [row] = await readRows<{ window_end_ms: string }>(
    pool,
    `SELECT window_end_ms FROM event WHERE symbol = $1 AND ${KEPT} ORDER BY window_end_ms LIMIT 1`,
    [symbol],
  );
  return row === undefined ? undefined : Number(row.window_end_ms);
}

function toHour({ hour_ms: hourMs, row_total: rowTotal, object_key: key, sha256, byte_total: bytes }: HourRow): PacketHour {
  const file = key === null || sha256 === null ? undefined : { key, sha256, bytes: Number(bytes ?? 0) };
  return { hourMs: Number(hourMs), rowTotal: Number(rowTotal), file };
}

// Sequences are consecutive, so no counting is needed. Hours whose windows all ended by a time end at most a
// millisecond later.
const HELD = {
  name: 'held-packets',
  text: `
    SELECT asked.symbol, earliest.window_end_ms AS first_ms, latest.window_end_ms AS last_ms,
      latest.sequence - earliest.sequence + 1 AS packet_total, archive.*
    FROM unnest($1::text[]) WITH ORDINALITY AS asked (symbol, place)
    LEFT JOIN LATERAL (${eventAt('ASC')}) AS earliest ON true
    LEFT JOIN LATERAL (${eventAt('DESC')}) AS latest ON true
    CROSS JOIN LATERAL (${totalsOf('asked.symbol', "'packets'", '($2::bigint + 1)')}) AS archive
    ORDER BY asked.place`,
};

type StoredPacketsRow = TotalsRow & Readonly<Record<'first_ms' | 'last_ms' | 'packet_total', string | null>> & { readonly symbol: string };

export async function readStoredPackets(pool: Pool, symbols: readonly string[], asOfMs: number | null): Promise<StoredPackets[]> {
  const rows = await readRows<StoredPacketsRow>(pool, HELD, [symbols, asOfMs]);
  return rows.map((row) => ({
    symbol: row.symbol,
    firstMs: toNumber(row.first_ms),
    lastMs: toNumber(row.last_ms),
    total: toNumber(row.packet_total) ?? 0,
    archive: fromTotalsRow(row),
  }));
}

function toNumber(value: string | null): number | undefined {
  return value === null ? undefined : Number(value);
}
