import type { Pool } from 'pg';
import { reading } from './store-failure';

/** Receive times of control entries by ordinal, of those that are among the hot rows. Rejects as `storeFailure` says. */
export async function readReceiveTimes(pool: Pool, symbol: string, ordinals: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await reading(
    pool.query<{ ordinal: string; received_ts_ms: string }>(
      `SELECT ordinal, received_ts_ms FROM log_entry WHERE symbol = $1 AND channel = 'control' AND ordinal = ANY($2)`,
      [symbol, ordinals],
    ),
  );
  return new Map(rows.map((row) => [Number(row.ordinal), Number(row.received_ts_ms)]));
}
