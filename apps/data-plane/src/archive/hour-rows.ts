import type { Row } from '@market-state/archive';
import { decodeEvent, EventDecodeError, type MarketEvent } from '@market-state/market-data';
import type { Pool } from 'pg';
import { FLAG } from '../store/row-flag';
import { channelValues } from './archive-columns';
import type { FinishedHour } from './finished-hours';

/** Rows of one read: what is held at once, twice. */
const PAGE_ROWS = 1_000;
/** Rows decoded at once: others have a turn between two pieces. */
const PIECE_ROWS = 64;

/** The rows of an hour are not what was counted when they were written, or a row is not what its entry says. */
export class HourFaultError extends Error {
  override readonly name = 'HourFaultError';
}

interface LogRow {
  readonly ordinal: string;
  readonly epoch: number;
  readonly pass: number;
  readonly venue_id: string | null;
  readonly exchange_ts_ms: string;
  readonly received_ts_ms: string;
  readonly flags: number;
  readonly payload: Buffer;
}

const PAGE = `
  SELECT ordinal, epoch, pass, venue_id, exchange_ts_ms, received_ts_ms, flags, payload FROM log_entry
  WHERE symbol = $1 AND channel = $2 AND ordinal > $3 AND ordinal <= $4 AND exchange_ts_ms BETWEEN $5 AND $6
  ORDER BY ordinal LIMIT ${PAGE_ROWS}`;

/**
 * Every row of an hour as its file has it, in log order, duplicates included. The next rows are read while those before are worked on.
 * @throws {HourFaultError} when there are more or fewer than were counted, or one contradicts its entry
 */
export async function* hourRows(pool: Pool, hour: FinishedHour): AsyncGenerator<Row[]> {
  let total = 0;
  for (let reading = readPage(pool, hour, hour.firstOrdinal - 1); ; ) {
    const rows = await reading;
    const last = rows.at(-1);
    if (last === undefined) break;
    reading = readPage(pool, hour, Number(last.ordinal));
    // When nobody comes for these rows any more, nobody hears of it either.
    reading.catch(() => undefined);
    total += rows.length;
    for (let from = 0; from < rows.length; from += PIECE_ROWS)
      yield rows.slice(from, from + PIECE_ROWS).map((row) => toArchiveRow(hour, row));
  }
  if (total !== hour.rowTotal) throw new HourFaultError(`${total} rows where ${hour.rowTotal} were counted`);
}

async function readPage(
  pool: Pool,
  { symbol, channel, lastOrdinal, minExchangeMs, maxExchangeMs }: FinishedHour,
  after: number,
): Promise<readonly LogRow[]> {
  if (after >= lastOrdinal) return [];
  const { rows } = await pool.query<LogRow>(PAGE, [symbol, channel, after, lastOrdinal, minExchangeMs, maxExchangeMs]);
  return rows;
}

function toArchiveRow(hour: FinishedHour, row: LogRow): Row {
  const event = eventOf(row);
  const ordinal = Number(row.ordinal);
  const exchangeTsMs = Number(row.exchange_ts_ms);
  const receivedTsMs = Number(row.received_ts_ms);
  const values = channelValues(hour.channel, event);
  const venueId = event.venueId === '' || (row.flags & FLAG.duplicate) !== 0 ? null : event.venueId;
  const isEntry =
    event.symbol === hour.symbol &&
    event.ordinal === ordinal &&
    event.epoch === row.epoch &&
    event.pass === row.pass &&
    venueId === row.venue_id &&
    event.exchangeTsMs === exchangeTsMs &&
    event.receivedTsMs === receivedTsMs;
  if (!isEntry || values === undefined) throw new HourFaultError(`the row of ordinal ${row.ordinal} is not what its entry says`);
  return [ordinal, row.epoch, row.pass, event.venue, row.venue_id, exchangeTsMs, receivedTsMs, row.flags, row.payload, ...values];
}

function eventOf({ ordinal, payload }: LogRow): MarketEvent {
  try {
    return decodeEvent(payload);
  } catch (error) {
    if (!(error instanceof EventDecodeError)) throw error;
    throw new HourFaultError(`the payload of ordinal ${ordinal} is no event`, { cause: error });
  }
}
