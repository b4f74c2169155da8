import { compareEntryIds, type EntryId, type EventLog, LOG_START } from '@market-state/event-log';
import { decodeEvent } from '@market-state/market-data';

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

/** Where feed time stood at an entry. */
export interface LogMark {
  readonly id: EntryId;
  readonly feedClockMs: number;
  /** Newest exchange time up to this entry. */
  readonly exchangeTsMs: number;
}

/** Which entry a moment of feed time belongs to: a mark every second of feed time or so, oldest first. */
interface TrimIndex {
  /** Ids and times must not fall. A mark less than a second of feed time after the one before is left out. */
  add(mark: LogMark): void;
  /** The newest mark at or before a moment of feed time; undefined when every mark is later. */
  at(feedClockMs: number): LogMark | undefined;
  /** The newest mark at or before an entry, else the oldest; undefined when there is none. */
  atEntry(id: EntryId): LogMark | undefined;
  /** Forgets the marks before an entry. */
  dropBefore(id: EntryId): void;
}

const spacingMs = 1_000;

export function createTrimIndex(): TrimIndex {
  const marks: LogMark[] = [];
  return {
    add(mark) {
      const newest = marks.at(-1);
      if (newest === undefined || mark.feedClockMs - newest.feedClockMs >= spacingMs) marks.push(mark);
    },
    at: (feedClockMs) => marks[countWhile(marks, (mark) => mark.feedClockMs <= feedClockMs) - 1],
    atEntry: (id) => marks[Math.max(0, countWhile(marks, (mark) => compareEntryIds(mark.id, id) <= 0) - 1)],
    dropBefore(id) {
      marks.splice(
        0,
        countWhile(marks, (mark) => compareEntryIds(mark.id, id) < 0),
      );
    },
  };
}

/** How many marks come before the first that does not hold; none holds after that one. There are thousands, asked for each second. */
function countWhile(marks: readonly LogMark[], holds: (mark: LogMark) => boolean): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(marks[middle] as LogMark)) low = middle + 1;
    else high = middle;
  }
  return low;
}
