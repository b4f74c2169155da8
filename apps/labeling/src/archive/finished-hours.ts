import type { Pool } from 'pg';
import { type ArchivedKind, hourEnd, hourOf } from './archived-kind';

/**
 * The oldest hour of a symbol's rows that has no file and is over: a window of a later hour has its packet. Undefined when
 * there is none.
 */
export async function nextFinishedHour(pool: Pool, { channel, table }: ArchivedKind, symbol: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ first_ms: string | null; newest_ms: string | null }>(
    `SELECT (SELECT min(window_end_ms) FROM ${table} WHERE symbol = $1 AND window_end_ms >= file.next_ms) AS first_ms,
       (SELECT max(window_end_ms) FROM packet WHERE symbol = $1) AS newest_ms
     FROM (SELECT coalesce(max(hour_ms) + $3, 0) AS next_ms FROM archive_file WHERE symbol = $1 AND channel = $2) AS file`,
    [symbol, channel, hourEnd(0)],
  );
  const [row] = rows;
  if (row === undefined || row.first_ms === null) return undefined;
  const hourMs = hourOf(Number(row.first_ms));
  return hourEnd(hourMs) <= Number(row.newest_ms) ? hourMs : undefined;
}
