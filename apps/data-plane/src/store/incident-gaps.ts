import type { Pool } from 'pg';
import type { GapRow } from '../recorder/gap-ledger';
import { readGaps } from './gap-list';

/** Gaps that are read for one list of incidents at most: the newest. */
const GAPS_MAX = 10_000;

/** Gaps of any of these symbols that overlap [fromMs, toMs) and have lasted long enough for an incident. */
export interface LongGapQuery {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** An open gap has lasted up to here. */
  readonly nowMs: number;
  readonly lengthMsMin: number;
}

/** As the ledger stands now, the newest first, at most 10,000; gaps that were withdrawn are left out. Rejects as `storeFailure` says. */
export function listLongGaps(pool: Pool, { symbols, fromMs, toMs, nowMs, lengthMsMin }: LongGapQuery): Promise<GapRow[]> {
  return readGaps(
    pool,
    `SELECT gap_id, symbol, channel, start_ms, telling.end_ms, reason, telling.resolution, told_ms
     FROM gap CROSS JOIN LATERAL (
       SELECT end_ms, resolution, told_ms FROM gap_telling WHERE gap_telling.gap_id = gap.gap_id ORDER BY told_ms DESC LIMIT 1
     ) AS telling
     WHERE symbol = ANY ($1) AND start_ms < $3 AND (telling.end_ms = 0 OR telling.end_ms > $2) AND telling.resolution <> 'withdrawn'
       AND (CASE telling.end_ms WHEN 0 THEN $4::bigint ELSE telling.end_ms END) - start_ms >= $5
     ORDER BY start_ms DESC, gap_id DESC LIMIT $6`,
    [symbols, fromMs, toMs, nowMs, lengthMsMin, GAPS_MAX],
  );
}
