import type { Row } from '@market-state/archive';
import { decodeEvent, EventDecodeError, type MarketEvent } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { FinishedHour } from '../store/finished-hours';
import { type LogRow, readHourPage } from '../store/hour-pages';
import { FLAG } from '../store/row-flag';
import { channelValues } from './archive-columns';

/** Rows decoded at once: others have a turn between two pieces. */
const PIECE_ROWS = 64;

/** The rows of an hour are not what was counted when they were written, or a row is not what its entry says. */
export class HourFaultError extends Error {
  override readonly name = 'HourFaultError';
}

/**
 * Every row of an hour as its file has it, in log order, duplicates included. The next rows are read while those before are worked on.
 * @throws {HourFaultError} when there are more or fewer than were counted, or one contradicts its entry
 */
export async function* hourRows(pool: Pool, hour: FinishedHour): AsyncGenerator<Row[]> {
  let total = 0;
  for (let reading = readHourPage(pool, hour, hour.firstOrdinal - 1); ; ) {
    const rows = await reading;
    const last = rows.at(-1);
    if (last === undefined) break;
    reading = readHourPage(pool, hour, Number(last.ordinal));
    // When nobody comes for these rows any more, nobody hears of it either.
    reading.catch(() => undefined);
    total += rows.length;
    for (let from = 0; from < rows.length; from += PIECE_ROWS)
      yield rows.slice(from, from + PIECE_ROWS).map((row) => toArchiveRow(hour, row));
  }
  if (total !== hour.rowTotal) throw new HourFaultError(`${total} rows where ${hour.rowTotal} were counted`);
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
