import type { Pool, PoolClient } from 'pg';
import type { GapEnd, GapRow } from '../recorder/gap-ledger';
import { reading } from './store-failure';

/** Writes gaps; one that is there keeps its identity and takes the newer end. */
export async function writeGaps(client: PoolClient, gaps: readonly GapRow[]): Promise<void> {
  for (const gap of gaps) {
    await client.query(
      `INSERT INTO gap (gap_id, symbol, channel, start_ms, end_ms, reason, resolution) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (gap_id) DO UPDATE SET end_ms = excluded.end_ms, resolution = excluded.resolution`,
      [gap.gapId, gap.symbol, gap.channel ?? null, gap.startMs, gap.endMs, gap.reason, gap.resolution],
    );
  }
}

/** Ends gaps that were opened before. */
export async function endGaps(client: PoolClient, ends: readonly GapEnd[]): Promise<void> {
  for (const { gapId, endMs } of ends) {
    await client.query(`UPDATE gap SET end_ms = $2, resolution = 'resynced' WHERE gap_id = $1`, [gapId, endMs]);
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
