import type { Queryable } from '@market-state/postgres';
import type { FinishedHour } from './finished-hours';

/** A row of the log as the driver reads it. */
export interface LogRow {
  readonly ordinal: string;
  readonly epoch: number;
  readonly pass: number;
  readonly venue_id: string | null;
  readonly exchange_ts_ms: string;
  readonly received_ts_ms: string;
  readonly flags: number;
  readonly payload: Buffer;
}

/** Rows of one page: what is in memory at once, twice. */
const PAGE_ROWS = 1_000;

const PAGE = `
  SELECT ordinal, epoch, pass, venue_id, exchange_ts_ms, received_ts_ms, flags, payload FROM log_entry
  WHERE symbol = $1 AND channel = $2 AND ordinal > $3 AND ordinal <= $4 AND exchange_ts_ms BETWEEN $5 AND $6
  ORDER BY ordinal LIMIT ${PAGE_ROWS}`;

/** The rows of an hour that follow an ordinal, duplicates included; none after the last. */
export async function readHourPage(
  on: Queryable,
  { symbol, channel, lastOrdinal, minExchangeMs, maxExchangeMs }: FinishedHour,
  afterOrdinal: number,
): Promise<readonly LogRow[]> {
  if (afterOrdinal >= lastOrdinal) return [];
  const { rows } = await on.query<LogRow>(PAGE, [symbol, channel, afterOrdinal, lastOrdinal, minExchangeMs, maxExchangeMs]);
  return rows;
}
