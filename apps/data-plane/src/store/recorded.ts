import { type EntryId, LOG_START } from '@market-state/event-log';
import type { Pool } from 'pg';
import { reading } from './store-failure';

export const RECORDER = 'recorder';

interface PositionRow {
  readonly epoch: number;
  readonly ordinal: string;
}

function toEntryId(row: PositionRow | undefined): EntryId {
  return row === undefined ? LOG_START : { epoch: row.epoch, ordinal: Number(row.ordinal) };
}

/** Committed position; initially the start of the log. Creates the row that `writeTotals` updates. */
export async function readPosition(pool: Pool, consumer: string, symbol: string): Promise<EntryId> {
  const { rows } = await pool.query<PositionRow>(
    `INSERT INTO consumer_position (consumer, symbol, epoch, ordinal) VALUES ($1, $2, 0, 0)
     ON CONFLICT (consumer, symbol) DO UPDATE SET epoch = consumer_position.epoch
     RETURNING epoch, ordinal`,
    [consumer, symbol],
  );
  return toEntryId(rows[0]);
}

export interface Recorded {
  readonly epoch: number;
  readonly ordinal: number;
  /** Newest recorded tick: everything received before is recorded. Undefined initially. */
  readonly clockMs: number | undefined;
  /** Exchange time of the first recorded book, or of the first entry without one: rows are complete from here. */
  readonly fromMs: number | undefined;
}

/**
 * Earliest exchange time of a recorded book of symbol $1. Retained hours lose it with the archive's first hour; the row
 * state never does.
 */
export const FIRST_BOOK_MS = `least(
      (SELECT min(min_exchange_ms) FROM channel_hour WHERE symbol = $1 AND channel = 'book'),
      (SELECT (state->>'firstBookMs')::bigint FROM row_state WHERE symbol = $1))`;

interface RecordedColumns {
  readonly epoch: number | null;
  readonly ordinal: string | null;
  readonly clock_ms: string | null;
  readonly from_ms: string | null;
}

/** Rejects as `storeFailure`. */
export async function readRecorded(pool: Pool, symbol: string): Promise<Recorded> {
  const recorded = {
    name: 'recorded',
    text: `
  SELECT position.epoch, position.ordinal,
    greatest(
      (SELECT max(exchange_ts_ms) FROM log_entry WHERE symbol = $1 AND channel = 'control'),
      (SELECT max(max_exchange_ms) FROM channel_hour WHERE symbol = $1 AND channel = 'control')) AS clock_ms,
    coalesce(
      ${FIRST_BOOK_MS},
      (SELECT min(min_exchange_ms) FROM channel_hour WHERE symbol = $1)) AS from_ms
  FROM (SELECT 1) AS one LEFT JOIN consumer_position AS position ON position.consumer = $2 AND position.symbol = $1`,
  };
  const { rows } = await reading(pool.query<RecordedColumns>({ ...recorded, values: [symbol, RECORDER] }));
  const [row] = rows;
  return { epoch: row?.epoch ?? 0, ordinal: Number(row?.ordinal ?? 0), clockMs: toNumber(row?.clock_ms), fromMs: toNumber(row?.from_ms) };
}

/** Omits symbols without entries. Rejects as `storeFailure`. */
export async function readRecordedOrdinals(pool: Pool, symbols: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await reading(
    pool.query<{ symbol: string; ordinal: string }>(
      'SELECT symbol, ordinal FROM consumer_position WHERE consumer = $1 AND symbol = ANY($2)',
      [RECORDER, symbols],
    ),
  );
  return new Map(rows.map(({ symbol, ordinal }) => [symbol, Number(ordinal)]));
}

function toNumber(value: string | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
