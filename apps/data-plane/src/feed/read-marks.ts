import { type EntryId, type EventLog, LOG_START } from '@market-state/event-log';
import { decodeEvent } from '@market-state/market-data';
import type { LogMark } from './trim-index';

/** Entries between two that are looked at. */
const hop = 500;

/** Marks over the whole log of a symbol, oldest first: one for the oldest entry and one every so many entries. */
export async function readMarks(eventLog: EventLog, symbol: string): Promise<LogMark[]> {
  const marks: LogMark[] = [];
  let exchangeTsMs = -Infinity;
  for (let after: EntryId = LOG_START; ; ) {
    const [entry] = await eventLog.read(symbol, after, { count: 1 });
    if (entry === undefined) return marks;
    const event = decodeEvent(entry.payload);
    exchangeTsMs = Math.max(exchangeTsMs, event.exchangeTsMs);
    marks.push({ id: { epoch: entry.epoch, ordinal: entry.ordinal }, feedClockMs: event.receivedTsMs, exchangeTsMs });
    after = { epoch: entry.epoch, ordinal: entry.ordinal + hop };
  }
}
