import type { Channel } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { HourId } from './object-key';

/** An hour that is over, with what was counted when its rows were written. */
export interface FinishedHour extends HourId {
  /** Duplicates are among them. */
  readonly rowTotal: number;
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  readonly minExchangeMs: number;
  readonly maxExchangeMs: number;
}

interface HourColumns {
  readonly symbol: string;
  readonly channel: Channel;
  readonly hour_ms: string;
  readonly row_total: string;
  readonly first_ordinal: string;
  readonly last_ordinal: string;
  readonly min_exchange_ms: string;
  readonly max_exchange_ms: string;
}

// The feed clock never goes back along a log: once an entry of a later hour is recorded, an hour gets no more.
const FINISHED = `
  SELECT symbol, channel, hour_ms, row_total + duplicate_total AS row_total, first_ordinal, last_ordinal, min_exchange_ms, max_exchange_ms
  FROM channel_hour AS hour
  WHERE hour_ms < (SELECT max(hour_ms) FROM channel_hour AS later WHERE later.symbol = hour.symbol)
    AND NOT EXISTS (SELECT FROM archive_file AS file WHERE file.symbol = hour.symbol AND file.channel = hour.channel AND file.hour_ms = hour.hour_ms)
  ORDER BY hour_ms, symbol, channel LIMIT $1`;

/** Finished hours that have no verified file yet, oldest first, at most `limit`. */
export async function listFinishedHours(pool: Pool, limit: number): Promise<FinishedHour[]> {
  const { rows } = await pool.query<HourColumns>(FINISHED, [limit]);
  return rows.map((row) => ({
    symbol: row.symbol,
    channel: row.channel,
    hourMs: Number(row.hour_ms),
    rowTotal: Number(row.row_total),
    firstOrdinal: Number(row.first_ordinal),
    lastOrdinal: Number(row.last_ordinal),
    minExchangeMs: Number(row.min_exchange_ms),
    maxExchangeMs: Number(row.max_exchange_ms),
  }));
}
