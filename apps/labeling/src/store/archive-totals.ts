import type { Pool } from 'pg';
import { type ArchivedChannel, HOUR_MS } from './archive-files';
import { readRows } from './reading';

/** What the archive holds of one kind of row of a symbol. */
export interface ArchiveTotals {
  readonly hourTotal: number;
  readonly rowTotal: number;
  /** Undefined where the size of a file is not known. */
  readonly byteTotal: number | undefined;
  /** Rows of windows that end before it are in the archive alone; 0 where none is. */
  readonly hotFromMs: number;
}

/** @param toMs only hours that end by it; null: every hour */
export type ReadArchiveTotals = (channel: ArchivedChannel, symbol: string, toMs: number | null) => Promise<ArchiveTotals>;

const TOTALS = `
  SELECT count(*) AS hour_total, coalesce(sum(row_total), 0) AS row_total, coalesce(sum(byte_total), 0) AS byte_total,
    count(*) FILTER (WHERE byte_total IS NULL) AS unsized_total,
    max(hour_ms) FILTER (WHERE state = 'archived') AS last_archived_ms
  FROM archive_file WHERE symbol = $1 AND channel = $2 AND state <> 'ending' AND ($3::bigint IS NULL OR hour_ms + ${HOUR_MS} <= $3)`;

type TotalsRow = Readonly<Record<'hour_total' | 'row_total' | 'byte_total' | 'unsized_total', string>> & {
  readonly last_archived_ms: string | null;
};

export function createArchiveTotals(pool: Pool): ReadArchiveTotals {
  return async (channel, symbol, toMs) => {
    const [row] = await readRows<TotalsRow>(pool, TOTALS, [symbol, channel, toMs]);
    if (row === undefined) throw new Error('an aggregate gave no row');
    return {
      hourTotal: Number(row.hour_total),
      rowTotal: Number(row.row_total),
      byteTotal: row.unsized_total === '0' ? Number(row.byte_total) : undefined,
      hotFromMs: row.last_archived_ms === null ? 0 : Number(row.last_archived_ms) + HOUR_MS,
    };
  };
}
