import type { Pool } from 'pg';
import { reading } from './store-failure';

/** Epoch and receive time of an entry. */
export interface EntryFacts {
  readonly epoch: number;
  readonly receivedTsMs: number;
}

/** Facts of control entries by ordinal, of those that are among the hot rows. Rejects as `storeFailure` says. */
export async function readControlEntries(pool: Pool, symbol: string, ordinals: readonly number[]): Promise<Map<number, EntryFacts>> {
  const { rows } = await reading(
    pool.query<{ ordinal: string; epoch: number; received_ts_ms: string }>(
      `SELECT ordinal, epoch, received_ts_ms FROM log_entry WHERE symbol = $1 AND channel = 'control' AND ordinal = ANY($2)`,
      [symbol, ordinals],
    ),
  );
  return new Map(rows.map((row) => [Number(row.ordinal), { epoch: row.epoch, receivedTsMs: Number(row.received_ts_ms) }]));
}
