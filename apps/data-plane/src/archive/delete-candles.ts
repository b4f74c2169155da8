import type { Pool } from 'pg';

/** Deletes the candles of minutes that end at or before the time from which trades are kept at all; gives back how many. */
export async function deleteCandles(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM candle_minute USING retention WHERE retention.channel = 'trade'
      AND candle_minute.open_ms + 60000 <= retention.archive_from_ms`,
  );
  return rowCount ?? 0;
}
