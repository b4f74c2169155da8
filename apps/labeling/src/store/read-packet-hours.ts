import type { Pool } from 'pg';
import type { PacketHour, PacketHours, PacketHoursFilter } from '../events/packet-hours';
import { HOUR_MS } from './archive-files';
import { conditionsOf } from './event-conditions';
import { readRows } from './reading';

interface HourRow {
  readonly hour_ms: string;
  readonly row_total: string;
  readonly object_key: string | null;
  readonly sha256: string | null;
  readonly byte_total: string | null;
}

/** A packet whose file is being deleted is kept no more: a condition on table `event`, as SQL. */
export const KEPT = `NOT EXISTS (SELECT FROM archive_file WHERE archive_file.symbol = event.symbol AND channel = 'packets'
  AND hour_ms = window_end_ms / ${HOUR_MS} * ${HOUR_MS} AND state = 'ending')`;

/** Counts the packets of a span by the hour that their windows end in, with the file of each hour. Rejects as `readRows` does. */
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
  return { hours: rows.map(toHour), keptFromMs: await readKeptFrom(pool, filter.symbol) };
}

async function readKeptFrom(pool: Pool, symbol: string): Promise<number | undefined> {
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
