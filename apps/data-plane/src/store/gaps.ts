import { ALL_CHANNELS, type GapTotals, SEAMS } from '@market-state/live-market';
import type { Pool, PoolClient } from 'pg';
import type { LedgerChange } from '../recorder/gap-ledger';
import { reading } from './store-failure';
import type { Queryable } from '@market-state/postgres';
import type { FinishedHour } from './archive-files';

/**
 * Applies changes of the ledger in their order. A gap that is there keeps its identity and takes the newer end; how it stood before stays
 * known.
 */
export async function writeLedger(client: PoolClient, changes: readonly LedgerChange[]): Promise<void> {
  for (const change of changes) await writeChange(client, change);
}

async function writeChange(client: PoolClient, change: LedgerChange): Promise<void> {
  switch (change.type) {
    case 'told': {
      const { gapId, symbol, channel, startMs, endMs, reason, resolution, toldMs } = change.gap;
      return tell(
        client,
        `INSERT INTO gap (gap_id, symbol, channel, start_ms, end_ms, reason, resolution) VALUES ($2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (gap_id) DO UPDATE SET end_ms = excluded.end_ms, resolution = excluded.resolution`,
        [toldMs, gapId, symbol, channel ?? null, startMs, endMs, reason, resolution],
      );
    }
    case 'resynced':
      return tell(client, `UPDATE gap SET end_ms = $3, resolution = 'resynced' WHERE gap_id = $2`, [
        change.toldMs,
        change.gapId,
        change.endMs,
      ]);
    case 'withdrawn':
      return tell(client, `UPDATE gap SET resolution = 'withdrawn' WHERE gap_id = $2`, [change.toldMs, change.gapId]);
    case 'taken_over':
      return tell(
        client,
        `UPDATE gap SET end_ms = greatest(start_ms, $4), resolution = 'resumed' WHERE symbol = $2 AND gap_id <> $3 AND end_ms = 0`,
        [change.toldMs, change.symbol, change.byGapId, change.startMs],
      );
  }
}

/** Changes gaps, and keeps how they stand from $1, the feed clock, on. */
async function tell(client: PoolClient, statement: string, values: readonly unknown[]): Promise<void> {
  await client.query(
    `WITH changed AS (${statement} RETURNING gap_id, end_ms, resolution)
     INSERT INTO gap_telling (gap_id, told_ms, end_ms, resolution) SELECT gap_id, $1::bigint, end_ms, resolution FROM changed
     ON CONFLICT (gap_id, told_ms) DO UPDATE SET end_ms = excluded.end_ms, resolution = excluded.resolution`,
    [...values],
  );
}

/** Counts a symbol's gaps that overlap [fromMs, toMs], but those withdrawn; an open gap has no end. Rejects as `storeFailure` says. */
export async function countGaps(pool: Pool, symbol: string, fromMs: number, toMs: number): Promise<GapTotals> {
  const work = pool.query<{ channel: string; total: number }>(
    `SELECT CASE WHEN reason = 'recording_seam' AND resolution = 'resumed' AND end_ms <> 0 THEN '${SEAMS}' ELSE coalesce(channel, '${ALL_CHANNELS}') END AS channel,
       count(*)::int AS total FROM gap
     WHERE symbol = $1 AND start_ms <= $3 AND (end_ms = 0 OR end_ms >= $2) AND resolution <> 'withdrawn' GROUP BY 1`,
    [symbol, fromMs, toMs],
  );
  const { rows } = await reading(work);
  return new Map(rows.map(({ channel, total }) => [channel, total]));
}

/** How often the ledger told something of a symbol's gaps in [fromMs, toMs] of the feed clock. Rejects as `storeFailure` says. */
export async function countTellings(pool: Pool, symbol: string, fromMs: number, toMs: number): Promise<number> {
  const work = pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM gap JOIN gap_telling USING (gap_id) WHERE symbol = $1 AND told_ms BETWEEN $2 AND $3`,
    [symbol, fromMs, toMs],
  );
  return (await reading(work)).rows[0]?.total ?? 0;
}

/** Gaps of the channel, or of all, that overlap the hour's rows and are not withdrawn. */
export async function listGapIds(on: Queryable, { symbol, channel, minExchangeMs, maxExchangeMs }: FinishedHour): Promise<string[]> {
  const { rows } = await on.query<{ gap_id: string }>(
    `SELECT gap_id FROM gap WHERE symbol = $1 AND (channel IS NULL OR channel = $2 OR $2 = 'control') AND start_ms <= $4
      AND (end_ms = 0 OR greatest(start_ms, end_ms) >= $3) AND resolution <> 'withdrawn'
     ORDER BY start_ms, gap_id`,
    [symbol, channel, minExchangeMs, maxExchangeMs],
  );
  return rows.map(({ gap_id }) => gap_id);
}
