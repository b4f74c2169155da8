import { type EntryId, LOG_START } from '@market-state/event-log';
import { selectRows } from '@market-state/postgres';
import type { Pool } from 'pg';
import { reading } from './store-failure';

export const RECORDER = 'recorder';

/** Committed position; initially the start of the log. Creates the row that `writeTotals` updates. */
export async function readPosition(pool: Pool, consumer: string, symbol: string): Promise<EntryId> {
  const text = `
    INSERT INTO consumer_position (consumer, symbol, epoch, ordinal) VALUES ($1, $2, 0, 0)
    ON CONFLICT (consumer, symbol) DO UPDATE SET epoch = consumer_position.epoch
    RETURNING epoch, ordinal`;
  const [position = LOG_START] = await selectRows<EntryId>(pool, { text, values: [consumer, symbol] });
  return position;
}

export interface Recorded {
  readonly epoch: number;
  readonly ordinal: number;
  /** Newest recorded tick: everything received before is recorded. Undefined initially. */
  readonly clockMs: number | undefined;
  /** Exchange time of the first recorded book, or of the first entry without one: rows are complete from here. */
  readonly fromMs: number | undefined;
}

const NOTHING_RECORDED: Recorded = { epoch: 0, ordinal: 0, clockMs: undefined, fromMs: undefined };

/**
 * Earliest exchange time of a recorded book of symbol $1. Retained hours lose it with the archive's first hour; the row
 * state never does.
 */
export const FIRST_BOOK_MS = `least(
      (SELECT min(min_exchange_ms) FROM channel_hour WHERE symbol = $1 AND channel = 'book'),
      (SELECT (state->>'firstBookMs')::bigint FROM row_state WHERE symbol = $1))`;

/** Rejects as `storeFailure`. */
export async function readRecorded(pool: Pool, symbol: string): Promise<Recorded> {
  const recorded = {
    name: 'recorded',
    text: `
  SELECT coalesce(position.epoch, 0) AS epoch, coalesce(position.ordinal, 0) AS ordinal,
    greatest(
      (SELECT max(exchange_ts_ms) FROM log_entry WHERE symbol = $1 AND channel = 'control'),
      (SELECT max(max_exchange_ms) FROM channel_hour WHERE symbol = $1 AND channel = 'control')) AS clock_ms,
    coalesce(
      ${FIRST_BOOK_MS},
      (SELECT min(min_exchange_ms) FROM channel_hour WHERE symbol = $1)) AS from_ms
  FROM (SELECT 1) AS one LEFT JOIN consumer_position AS position ON position.consumer = $2 AND position.symbol = $1`,
  };
  const [row = NOTHING_RECORDED] = await reading(selectRows<Recorded>(pool, { ...recorded, values: [symbol, RECORDER] }));
  return row;
}

/** Omits symbols without entries. Rejects as `storeFailure`. */
export async function readRecordedOrdinals(pool: Pool, symbols: readonly string[]): Promise<Map<string, number>> {
  const text = 'SELECT symbol, ordinal FROM consumer_position WHERE consumer = $1 AND symbol = ANY($2)';
  const rows = await reading(selectRows<{ symbol: string; ordinal: number }>(pool, { text, values: [RECORDER, symbols] }));
  return new Map(rows.map(({ symbol, ordinal }) => [symbol, ordinal]));
}
