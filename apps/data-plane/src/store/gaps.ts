import { ALL_CHANNELS, type GapTotals, SEAMS } from '@market-state/live-market';
import { type Channel, DAY_MS } from '@market-state/market-data';
import { type Queryable, selectRows } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import type { LedgerChange, GapRow } from '../recorder/gap-ledger';
import { reading } from './store-failure';
import type { FinishedHour } from './archive-files';

/** Limit per incident list; the newest are read. */
const GAPS_MAX = 10_000;

interface LongGapQuery {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  readonly lengthMsMin: number;
}

/** Without withdrawn gaps, newest first. Rejects as `storeFailure`. */
export function listLongGaps(pool: Pool, { symbols, fromMs, toMs, nowMs, lengthMsMin }: LongGapQuery): Promise<GapRow[]> {
  return readGaps(
    pool,
    `SELECT gap_id, symbol, channel, start_ms, telling.end_ms, reason, telling.resolution, told_ms AS reported_at_ms
     FROM gap CROSS JOIN LATERAL (
       SELECT end_ms, resolution, told_ms FROM gap_telling WHERE gap_telling.gap_id = gap.gap_id ORDER BY told_ms DESC LIMIT 1
     ) AS telling
     WHERE symbol = ANY ($1) AND start_ms < $3 AND (telling.end_ms = 0 OR telling.end_ms > $2) AND telling.resolution <> 'withdrawn'
       AND (CASE telling.end_ms WHEN 0 THEN $4::bigint ELSE telling.end_ms END) - start_ms >= $5
     ORDER BY start_ms DESC, gap_id DESC LIMIT $6`,
    [symbols, fromMs, toMs, nowMs, lengthMsMin, GAPS_MAX],
  );
}

interface GapQuery {
  readonly symbol: string;
  /** 0: unbounded. */
  readonly fromMs: number;
  /** Infinity: unbounded. */
  readonly toMs: number;
  /** Ledger state at this feed clock. Infinity: now. */
  readonly asOfMs: number;
  /** Also those of all channels; default: every gap. */
  readonly channels?: readonly Channel[];
  readonly after?: GapCursor;
  readonly limit: number;
}

/** A gap's start never changes, so the order is stable while gaps are written and ended. */
export interface GapCursor {
  readonly startMs: number;
  readonly gapId: string;
}

const COLUMNS = 'gap_id, symbol, channel, start_ms, end_ms, reason, resolution, told_ms AS reported_at_ms';

const OF_TELLING =
  'gap_id, symbol, channel, start_ms, telling.end_ms, reason, telling.resolution, told_ms AS reported_at_ms FROM gap JOIN gap_telling AS telling USING (gap_id)';

/** Gaps of symbol $1 starting before $3, as of feed clock $4. */
export const LEDGER_THEN = `
  SELECT gap_id, symbol, channel, start_ms, telling.end_ms, reason, telling.resolution, told_ms
  FROM gap CROSS JOIN LATERAL (
    SELECT end_ms, resolution, told_ms FROM gap_telling WHERE gap_telling.gap_id = gap.gap_id AND told_ms <= $4 ORDER BY told_ms DESC
      LIMIT 1
  ) AS telling
  WHERE symbol = $1 AND start_ms < $3`;

/** An open gap never ends; a zero-length gap overlaps its instant; touching an edge is no overlap. */
const OVERLAPS = '(end_ms = 0 OR end_ms > $2 OR (end_ms <= start_ms AND start_ms >= $2))';

/** Ordered by start, then id. Rejects as `storeFailure`. */
export async function listGapRows(pool: Pool, { symbol, fromMs, toMs, asOfMs, channels, after, limit }: GapQuery): Promise<GapRow[]> {
  return readGaps(
    pool,
    `SELECT ${COLUMNS} FROM (${LEDGER_THEN}) AS ledger
     WHERE ${OVERLAPS} AND ($5::bigint IS NULL OR (start_ms, gap_id) > ($5, $6))
       AND ($8::text[] IS NULL OR channel IS NULL OR channel = ANY($8)) ORDER BY start_ms, gap_id LIMIT $7`,
    [symbol, fromMs, bounded(toMs), bounded(asOfMs), after?.startMs ?? null, after?.gapId ?? null, limit, channels ?? null],
  );
}

/** Oldest gaps of a day; at the limit, there may be more. */
export const DAY_GAPS_MAX = 10_000;

/** At most `DAY_GAPS_MAX`. Rejects as `storeFailure`. */
export function listGapsOfDay(pool: Pool, symbol: string, clockMs: number): Promise<GapRow[]> {
  return listGapRows(pool, { symbol, fromMs: Math.max(0, clockMs - DAY_MS), toMs: Infinity, asOfMs: Infinity, limit: DAY_GAPS_MAX });
}

function bounded(timeMs: number): number {
  return Math.min(timeMs, Number.MAX_SAFE_INTEGER);
}

export function readGapOf(pool: Pool, gapId: string): Promise<GapRow[]> {
  return readGaps(pool, `SELECT ${OF_TELLING} WHERE gap_id = $1 ORDER BY told_ms DESC LIMIT 1`, [gapId]);
}

/** Losses on all channels that the recorder detected: reported already closed. Rejects as `storeFailure`. */
export function readLossesReportedAt(pool: Pool, symbol: string, reportedAtMs: number): Promise<GapRow[]> {
  return readGaps(
    pool,
    `SELECT ${OF_TELLING}
     WHERE symbol = $1 AND channel IS NULL AND reason = 'log_lost' AND told_ms = $2 AND telling.end_ms <> 0 ORDER BY start_ms, gap_id`,
    [symbol, reportedAtMs],
  );
}

function readGaps(pool: Pool, text: string, values: unknown[]): Promise<GapRow[]> {
  return reading(selectRows<GapRow>(pool, { text, values }));
}

/** An existing gap keeps its identity and gets the newer end; its history is preserved. */
export async function writeLedger(client: PoolClient, changes: readonly LedgerChange[]): Promise<void> {
  for (const change of changes) await writeChange(client, change);
}

async function writeChange(client: PoolClient, change: LedgerChange): Promise<void> {
  switch (change.type) {
    case 'reported': {
      const { gapId, symbol, channel, startMs, endMs, reason, resolution, reportedAtMs } = change.gap;
      return report(
        client,
        `INSERT INTO gap (gap_id, symbol, channel, start_ms, end_ms, reason, resolution) VALUES ($2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (gap_id) DO UPDATE SET end_ms = excluded.end_ms, resolution = excluded.resolution`,
        [reportedAtMs, gapId, symbol, channel ?? null, startMs, endMs, reason, resolution],
      );
    }
    case 'resynced':
      return report(client, `UPDATE gap SET end_ms = $3, resolution = 'resynced' WHERE gap_id = $2`, [
        change.reportedAtMs,
        change.gapId,
        change.endMs,
      ]);
    case 'withdrawn':
      return report(client, `UPDATE gap SET resolution = 'withdrawn' WHERE gap_id = $2`, [change.reportedAtMs, change.gapId]);
    case 'taken_over':
      return report(
        client,
        `UPDATE gap SET end_ms = greatest(start_ms, $4), resolution = 'resumed' WHERE symbol = $2 AND gap_id <> $3 AND end_ms = 0`,
        [change.reportedAtMs, change.symbol, change.byGapId, change.startMs],
      );
  }
}

async function report(client: PoolClient, statement: string, values: readonly unknown[]): Promise<void> {
  await client.query(
    `WITH changed AS (${statement} RETURNING gap_id, end_ms, resolution)
     INSERT INTO gap_telling (gap_id, told_ms, end_ms, resolution) SELECT gap_id, $1::bigint, end_ms, resolution FROM changed
     ON CONFLICT (gap_id, told_ms) DO UPDATE SET end_ms = excluded.end_ms, resolution = excluded.resolution`,
    [...values],
  );
}

/** Gaps that overlap [fromMs, toMs], without withdrawn ones. Rejects as `storeFailure`. */
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

/** Rejects as `storeFailure`. */
export async function countTellings(pool: Pool, symbol: string, fromMs: number, toMs: number): Promise<number> {
  const work = pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM gap JOIN gap_telling USING (gap_id) WHERE symbol = $1 AND told_ms BETWEEN $2 AND $3`,
    [symbol, fromMs, toMs],
  );
  return (await reading(work)).rows[0]?.total ?? 0;
}

/** Non-withdrawn gaps of the channel, or of all, that overlap the hour's rows. */
export async function listGapIds(on: Queryable, { symbol, channel, minExchangeMs, maxExchangeMs }: FinishedHour): Promise<string[]> {
  const { rows } = await on.query<{ gap_id: string }>(
    `SELECT gap_id FROM gap WHERE symbol = $1 AND (channel IS NULL OR channel = $2 OR $2 = 'control') AND start_ms <= $4
      AND (end_ms = 0 OR greatest(start_ms, end_ms) >= $3) AND resolution <> 'withdrawn'
     ORDER BY start_ms, gap_id`,
    [symbol, channel, minExchangeMs, maxExchangeMs],
  );
  return rows.map(({ gap_id }) => gap_id);
}
