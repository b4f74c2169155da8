import type { Channel } from '@market-state/market-data';
import type { Pool } from 'pg';
import { reading } from '../store/store-failure';

export interface WindowReaderDeps {
  readonly pool: Pool;
}

/** Rows of one symbol, chosen by exchange time. */
export interface RowWindow {
  readonly symbol: string;
  /** Exchange time, inclusive. */
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  readonly channels: readonly Channel[];
  /** Only what was received by then. */
  readonly asOfMs: number;
  /** Inclusive. */
  readonly toOrdinal: number;
}

/** The part of a window that is read at once: up to `limit` rows after an ordinal. */
export interface WindowPart extends RowWindow {
  /** Exclusive. */
  readonly afterOrdinal: number;
  readonly limit: number;
}

/** One row as it is kept. */
export interface StoredRow {
  readonly ordinal: number;
  readonly epoch: number;
  readonly channel: Channel;
  readonly exchangeTsMs: number;
  readonly receivedTsMs: number;
  /** A sum of 1 snapshot, 2 late, 4 clock_skew, 8 after_gap, 16 synthetic. */
  readonly flags: number;
  /** The event in protobuf wire form. */
  readonly payload: Buffer;
}

/** How many rows a window has, counted apart from reading them, and why the count may be short. */
export interface ExpectedRows {
  readonly rows: number;
  readonly reasons: readonly 'archive_unreadable'[];
}

const WINDOW = `symbol = $1 AND channel = ANY($2) AND exchange_ts_ms >= $3 AND exchange_ts_ms < $4 AND received_ts_ms <= $5 AND ordinal <= $6 AND flags & 32 = 0`;

interface RowColumns {
  readonly ordinal: string;
  readonly epoch: number;
  readonly channel: Channel;
  readonly exchange_ts_ms: string;
  readonly received_ts_ms: string;
  readonly flags: number;
  readonly payload: Buffer;
}

/** Rows of a window in log order, without duplicates. Rejects as `storeFailure` says. */
export async function readWindowRows({ pool }: WindowReaderDeps, part: WindowPart): Promise<StoredRow[]> {
  const { rows } = await reading(
    pool.query<RowColumns>(
      `SELECT ordinal, epoch, channel, exchange_ts_ms, received_ts_ms, flags, payload FROM log_entry
       WHERE ${WINDOW} AND ordinal > $7 ORDER BY ordinal LIMIT $8`,
      [...valuesOf(part), part.afterOrdinal, part.limit],
    ),
  );
  return rows.map((row) => ({
    ordinal: Number(row.ordinal),
    epoch: row.epoch,
    channel: row.channel,
    exchangeTsMs: Number(row.exchange_ts_ms),
    receivedTsMs: Number(row.received_ts_ms),
    flags: row.flags,
    payload: row.payload,
  }));
}

/** Counts the rows of a window. Rejects as `storeFailure` says. */
export async function expectedRows({ pool }: WindowReaderDeps, window: RowWindow): Promise<ExpectedRows> {
  const { rows } = await reading(pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM log_entry WHERE ${WINDOW}`, valuesOf(window)));
  return { rows: rows[0]?.total ?? 0, reasons: [] };
}

function valuesOf({ symbol, startMs, endMs, channels, asOfMs, toOrdinal }: RowWindow): unknown[] {
  return [symbol, channels, startMs, endMs, asOfMs, toOrdinal];
}
