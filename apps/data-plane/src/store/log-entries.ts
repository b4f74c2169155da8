import { EventDecodeError } from '@market-state/market-data';
import type { Pool } from 'pg';
import { LOG_ENTRY, readEvent, toRow } from './log-entry-row';
import { RECORDER } from './positions';
import { reading } from './store-failure';

/** An entry of a symbol's log as it is stored. */
export interface StoredEntry {
  readonly ordinal: number;
  readonly epoch: number;
  /** The event in protobuf wire form. */
  readonly payload: Buffer;
  /** A column, which rows and candles are served from, is not what the payload says: the row was changed after it was written. */
  readonly contradictsItself: boolean;
}

/** Ordinal up to which the log is recorded; 0 before its first entry. Rejects as `storeFailure` says. */
export async function readRecordedOrdinal(pool: Pool, symbol: string): Promise<number> {
  const { rows } = await reading(
    pool.query<{ ordinal: string }>('SELECT ordinal FROM consumer_position WHERE consumer = $1 AND symbol = $2', [RECORDER, symbol]),
  );
  return Number(rows[0]?.ordinal ?? 0);
}

/** Epoch of a stored entry; undefined when it is not stored. Rejects as `storeFailure` says. */
export async function readEpoch(pool: Pool, symbol: string, ordinal: number): Promise<number | undefined> {
  const { rows } = await reading(pool.query<{ epoch: number }>('SELECT epoch FROM log_entry WHERE symbol = $1 AND ordinal = $2', [symbol, ordinal]));
  return rows[0]?.epoch;
}

const DECIMALS: readonly string[] = ['price', 'size', 'venue_size'];

/** Decimals without trailing zeros, as entries have them: a number that is written otherwise is no other number. */
const SELECT_ENTRY = `SELECT ${LOG_ENTRY.columns.map((column) => (DECIMALS.includes(column) ? `trim_scale(${column}) AS ${column}` : column)).join(', ')} FROM log_entry`;

type LogEntryRow = Readonly<Record<string, string | number | null>> & { readonly ordinal: string; readonly epoch: number; readonly flags: number; readonly payload: Buffer };

/** Stored entries after one ordinal and up to another, in order, at most `count`. Rejects as `storeFailure` says. */
export async function readEntries(pool: Pool, symbol: string, afterOrdinal: number, toOrdinal: number, count: number): Promise<StoredEntry[]> {
  const { rows } = await reading(
    pool.query<LogEntryRow>(
      `${SELECT_ENTRY} WHERE symbol = $1 AND ordinal > $2 AND ordinal <= $3 ORDER BY ordinal LIMIT $4`,
      [symbol, afterOrdinal, toOrdinal, count],
    ),
  );
  return rows.map((row) => ({ ordinal: Number(row.ordinal), epoch: row.epoch, payload: row.payload, contradictsItself: contradictsItself(row) }));
}

function contradictsItself(row: LogEntryRow): boolean {
  try {
    const event = readEvent(row.payload);
    const written = toRow({ ordinal: event.ordinal, epoch: event.epoch, payload: row.payload }, event, row.flags);
    return LOG_ENTRY.columns.some((column) => column !== 'payload' && String(row[column]) !== String(written[column]));
  } catch (error) {
    if (error instanceof EventDecodeError) return true;
    throw error;
  }
}
