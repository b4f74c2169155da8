import type { Pool } from 'pg';
import type { ArchiveTotals } from '../events/event-index';
import { type ArchivedChannel, HOUR_MS } from './archive-files';
import { readRows } from './reading';

/** @param toMs only hours that end by it; null: every hour */
export type ReadArchiveTotals = (channel: ArchivedChannel, symbol: string, toMs: number | null) => Promise<ArchiveTotals>;

/** SQL of the totals; all parameters are SQL fragments. */
export function totalsOf(symbol: string, channel: string, toMs: string): string {
  return `
    SELECT count(*) AS hour_total, coalesce(sum(row_total), 0) AS row_total, coalesce(sum(byte_total), 0) AS byte_total,
      count(*) FILTER (WHERE byte_total IS NULL) AS unsized_total,
      max(hour_ms) FILTER (WHERE state = 'archived') AS last_archived_ms
    FROM archive_file WHERE symbol = ${symbol} AND channel = ${channel} AND state <> 'ending'
      AND (${toMs} IS NULL OR hour_ms + ${HOUR_MS} <= ${toMs})`;
}

export type TotalsRow = Readonly<Record<'hour_total' | 'row_total' | 'byte_total' | 'unsized_total', string>> & {
  readonly last_archived_ms: string | null;
};

const TOTALS = totalsOf('$1', '$2', '$3::bigint');

export function createArchiveTotals(pool: Pool): ReadArchiveTotals {
  return async (channel, symbol, toMs) => {
    const [row] = await readRows<TotalsRow>(pool, TOTALS, [symbol, channel, toMs]);
    if (row === undefined) throw new Error('an aggregate gave no row');
    return fromTotalsRow(row);
  };
}

export function fromTotalsRow(row: TotalsRow): ArchiveTotals {
  return {
    hourTotal: Number(row.hour_total),
    rowTotal: Number(row.row_total),
    byteTotal: row.unsized_total === '0' ? Number(row.byte_total) : undefined,
    hotFromMs: row.last_archived_ms === null ? 0 : Number(row.last_archived_ms) + HOUR_MS,
  };
}
