import type { Row } from '@market-state/archive';
import { archiveRow, decodeEvent, EventDecodeError, type MarketEvent } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { FinishedHour } from '../store/finished-hours';
import { type LogRow, readHourPage } from '../store/hour-pages';

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

function toArchiveRow({ symbol, channel }: FinishedHour, row: LogRow): Row {
  const { epoch, pass, venue_id: venueId, flags, payload } = row;
  const stored = {
    ordinal: Number(row.ordinal),
    epoch,
    pass,
    venueId,
    exchangeTsMs: Number(row.exchange_ts_ms),
    receivedTsMs: Number(row.received_ts_ms),
    flags,
    payload,
  };
  const archived = archiveRow(symbol, channel, stored, eventOf(row));
  if (archived === undefined) throw new HourFaultError(`the row of ordinal ${row.ordinal} is not what its entry says`);
  return archived;
}

function eventOf({ ordinal, payload }: LogRow): MarketEvent {
  try {
    return decodeEvent(payload);
  } catch (error) {
    if (!(error instanceof EventDecodeError)) throw error;
    throw new HourFaultError(`the payload of ordinal ${ordinal} is no event`, { cause: error });
  }
}
