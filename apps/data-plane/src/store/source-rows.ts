import { NUMBER_TYPES } from '@market-state/postgres';
import type { Pool } from 'pg';
import { logSegmentOf } from '../archive/read-span';
import type { ChannelHour } from './channel-hours';
import { type RowWindow, valuesOf, WINDOW } from './row-window';
import { reading } from './store-failure';
import { STORED_ROW, type StoredRow } from './window-reader';

export interface SourceWindow extends RowWindow {
  /** Entry that closed the packet's window; ordinal 0 if unknown. */
  readonly closedBy: { readonly epoch: number; readonly ordinal: number };
  /** Rows with a later exchange time are in the packet's own window. */
  readonly ownAfterMs: number;
  readonly rowLimit: number;
}

/** Counts, and the last in-time rows by exchange time, then ordinal, ascending. */
export interface SourceRows {
  readonly inTimeTotal: number;
  /** In-time rows within the packet's own window. */
  readonly inWindowTotal: number;
  readonly lateTotal: number;
  readonly rows: readonly StoredRow[];
}

export const NO_SOURCE_ROWS: SourceRows = { inTimeTotal: 0, inWindowTotal: 0, lateTotal: 0, rows: [] };

// Sorts late rows last, so that the totals are returned even if no row was in time.
const HOT = `
  SELECT ${STORED_ROW}, in_time AS "isInTime",
    (count(*) FILTER (WHERE in_time) OVER ())::int AS "inTimeTotal",
    (count(*) FILTER (WHERE in_time AND exchange_ts_ms > $10) OVER ())::int AS "inWindowTotal",
    (count(*) FILTER (WHERE NOT in_time) OVER ())::int AS "lateTotal"
  FROM (SELECT *, $9 = 0 OR epoch < $8 OR (epoch = $8 AND ordinal <= $9) AS in_time FROM log_entry WHERE ${WINDOW}) AS entry
  ORDER BY in_time DESC, exchange_ts_ms DESC, ordinal DESC LIMIT $11`;

type HotColumns = StoredRow & Omit<SourceRows, 'rows'> & { readonly isInTime: boolean };

/** Same, if all rows are hot and in these hours. Rejects as `storeFailure`. */
export async function readHotSourceRows(pool: Pool, window: SourceWindow, hours: readonly ChannelHour[]): Promise<SourceRows> {
  const { closedBy, ownAfterMs, rowLimit, toOrdinal } = window;
  const logSegment = logSegmentOf({ afterOrdinal: 0, toOrdinal }, hours, rowLimit);
  const values = [...valuesOf(window, logSegment), closedBy.epoch, closedBy.ordinal, ownAfterMs, rowLimit];
  const { rows: found } = await reading(pool.query<HotColumns>({ text: HOT, values, types: NUMBER_TYPES }));
  const [first] = found;
  if (first === undefined) return NO_SOURCE_ROWS;
  const { inTimeTotal, inWindowTotal, lateTotal } = first;
  const rows = found.flatMap(({ isInTime, inTimeTotal: _t, inWindowTotal: _w, lateTotal: _l, ...row }) => (isInTime ? [row] : []));
  return { inTimeTotal, inWindowTotal, lateTotal, rows: rows.reverse() };
}

export function sourceRowsOf({ closedBy, ownAfterMs, rowLimit }: SourceWindow, all: readonly StoredRow[]): SourceRows {
  const inTime = all
    .filter(
      ({ epoch, ordinal }) => closedBy.ordinal === 0 || epoch < closedBy.epoch || (epoch === closedBy.epoch && ordinal <= closedBy.ordinal),
    )
    .sort((a, b) => a.exchangeTsMs - b.exchangeTsMs || a.ordinal - b.ordinal);
  return {
    inTimeTotal: inTime.length,
    inWindowTotal: inTime.filter(({ exchangeTsMs }) => exchangeTsMs > ownAfterMs).length,
    lateTotal: all.length - inTime.length,
    rows: inTime.slice(-rowLimit),
  };
}
