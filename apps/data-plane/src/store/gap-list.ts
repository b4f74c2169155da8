import type { Channel } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { GapRow } from '../recorder/gap-ledger';
import { reading } from './store-failure';

/** Gaps of a symbol that overlap [fromMs, toMs), after a place in the order of start and id. */
export interface GapQuery {
  readonly symbol: string;
  /** 0: unbounded. */
  readonly fromMs: number;
  /** Infinity: unbounded. */
  readonly toMs: number;
  /** As the ledger stood when the feed clock showed this: gaps that began by then, one that ended later being open. Infinity: now. */
  readonly asOfMs: number;
  readonly after?: GapPlace;
  readonly limit: number;
}

/** A gap's start never changes, so this order stands while gaps are written and ended. */
export interface GapPlace {
  readonly startMs: number;
  readonly gapId: string;
}

interface GapColumns {
  readonly gap_id: string;
  readonly symbol: string;
  readonly channel: Channel | null;
  readonly start_ms: string;
  readonly end_ms: string;
  readonly reason: GapRow['reason'];
  readonly resolution: GapRow['resolution'];
}

const COLUMNS = 'gap_id, symbol, channel, start_ms, end_ms, reason, resolution';

/** The ledger of a symbol as it stood at $4. */
const LEDGER_THEN = `
  SELECT gap_id, symbol, channel, start_ms, reason,
    CASE WHEN end_ms > $4 THEN 0 ELSE end_ms END AS end_ms,
    CASE WHEN end_ms > $4 THEN 'open' ELSE resolution END AS resolution
  FROM gap WHERE symbol = $1 AND start_ms < $3 AND start_ms <= $4`;

/** An open gap has no end; one without length overlaps what its instant lies in; one that only touches an edge overlaps nothing. */
const OVERLAPS = '(end_ms = 0 OR end_ms > $2 OR (end_ms <= start_ms AND start_ms >= $2))';

/** Gaps in the order of start, then id. Rejects as `storeFailure` says. */
export async function listGapRows(pool: Pool, { symbol, fromMs, toMs, asOfMs, after, limit }: GapQuery): Promise<GapRow[]> {
  return readGaps(
    pool,
    `SELECT ${COLUMNS} FROM (${LEDGER_THEN}) AS ledger
     WHERE ${OVERLAPS} AND ($5::bigint IS NULL OR (start_ms, gap_id) > ($5, $6)) ORDER BY start_ms, gap_id LIMIT $7`,
    [symbol, fromMs, bounded(toMs), bounded(asOfMs), after?.startMs ?? null, after?.gapId ?? null, limit],
  );
}

function bounded(timeMs: number): number {
  return Math.min(timeMs, Number.MAX_SAFE_INTEGER);
}

/** The gaps of these ids. Rejects as `storeFailure` says. */
export function readGapsOf(pool: Pool, gapIds: readonly string[]): Promise<GapRow[]> {
  return readGaps(pool, `SELECT ${COLUMNS} FROM gap WHERE gap_id = ANY($1)`, [gapIds]);
}

/** Gaps of lost entries that end at an instant, on all channels: those that the recorder found. Rejects as `storeFailure` says. */
export function readLossesUpTo(pool: Pool, symbol: string, endMs: number): Promise<GapRow[]> {
  return readGaps(pool, `SELECT ${COLUMNS} FROM gap WHERE symbol = $1 AND channel IS NULL AND reason = 'log_lost' AND end_ms = $2 ORDER BY gap_id`, [symbol, endMs]);
}

async function readGaps(pool: Pool, text: string, values: unknown[]): Promise<GapRow[]> {
  const { rows } = await reading(pool.query<GapColumns>(text, values));
  return rows.map((row) => ({
    gapId: row.gap_id,
    symbol: row.symbol,
    channel: row.channel ?? undefined,
    startMs: Number(row.start_ms),
    endMs: Number(row.end_ms),
    reason: row.reason,
    resolution: row.resolution,
  }));
}
