import type { Channel } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { HourId } from '../archive/object-key';

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

/** A feed that comes back sooner may go on in the hour in which it stopped. */
const ABSENCE_MS = 2 * 3_600_000;

// The feed clock never goes back along a log: once an entry of a later hour is recorded, an hour gets no more. A symbol that is no longer
// served gets none either; one that is served again goes on in an hour of its own, or after an absence of less than two hours in its last.
const FINISHED = `
  SELECT symbol, channel, hour_ms, row_total + duplicate_total AS row_total, first_ordinal, last_ordinal, min_exchange_ms, max_exchange_ms
  FROM channel_hour AS hour
  WHERE (hour_ms < (SELECT max(hour_ms) FROM channel_hour AS later WHERE later.symbol = hour.symbol)
      OR symbol <> ALL ($2) AND hour_ms + ${ABSENCE_MS} < (SELECT max(hour_ms) FROM channel_hour AS later WHERE later.symbol = ANY ($2)))
    AND NOT EXISTS (SELECT FROM archive_file AS file WHERE file.symbol = hour.symbol AND file.channel = hour.channel
    AND file.hour_ms = hour.hour_ms)
  ORDER BY hour_ms, symbol, channel LIMIT $1`;

/** Finished hours that have no verified file yet, oldest first, at most `limit`. `served`: the symbols that are played. */
export async function listFinishedHours(pool: Pool, served: readonly string[], limit: number): Promise<FinishedHour[]> {
  const { rows } = await pool.query<HourColumns>(FINISHED, [limit, served]);
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
