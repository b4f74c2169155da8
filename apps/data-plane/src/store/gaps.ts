import type { Pool, PoolClient } from 'pg';
import type { LedgerChange } from '../recorder/gap-ledger';
import { reading } from './store-failure';

/** Applies changes of the ledger in their order. A gap that is there keeps its identity and takes the newer end. */
export async function writeLedger(client: PoolClient, changes: readonly LedgerChange[]): Promise<void> {
  for (const change of changes) await writeChange(client, change);
}

async function writeChange(client: PoolClient, change: LedgerChange): Promise<void> {
  switch (change.type) {
    case 'told': {
      const { gapId, symbol, channel, startMs, endMs, reason, resolution } = change.gap;
      await client.query(
        `INSERT INTO gap (gap_id, symbol, channel, start_ms, end_ms, reason, resolution) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (gap_id) DO UPDATE SET end_ms = excluded.end_ms, resolution = excluded.resolution`,
        [gapId, symbol, channel ?? null, startMs, endMs, reason, resolution],
      );
      return;
    }
    case 'resynced':
      await client.query(`UPDATE gap SET end_ms = $2, resolution = 'resynced' WHERE gap_id = $1`, [change.gapId, change.endMs]);
      return;
    case 'taken_over':
      await client.query(
        `UPDATE gap SET end_ms = greatest(start_ms, $3), resolution = 'resumed' WHERE symbol = $1 AND gap_id <> $2 AND end_ms = 0`,
        [change.symbol, change.byGapId, change.startMs],
      );
  }
}

/** How many gaps overlap a span, by channel; `all` counts those that cut every channel. */
export type GapTotals = ReadonlyMap<string, number>;

/** Key of the gaps that cut every channel. */
export const ALL_CHANNELS = 'all';

/** Counts a symbol's gaps that overlap [fromMs, toMs]; an open gap has no end. Rejects as `storeFailure` says. */
export async function countGaps(pool: Pool, symbol: string, fromMs: number, toMs: number): Promise<GapTotals> {
  const work = pool.query<{ channel: string; total: number }>(
    `SELECT coalesce(channel, '${ALL_CHANNELS}') AS channel, count(*)::int AS total FROM gap
     WHERE symbol = $1 AND start_ms <= $3 AND (end_ms = 0 OR end_ms >= $2) GROUP BY 1`,
    [symbol, fromMs, toMs],
  );
  const { rows } = await reading(work);
  return new Map(rows.map(({ channel, total }) => [channel, total]));
}
