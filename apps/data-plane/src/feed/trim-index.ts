import { compareEntryIds, type EntryId, type EventLog, LOG_START } from '@market-state/event-log';
import { decodeEvent } from '@market-state/market-data';

const hop = 500;

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

export interface LogMark {
  readonly id: EntryId;
  readonly feedClockMs: number;
  readonly exchangeTsMs: number;
}

/** Maps feed time to entries, with about one mark per second. */
interface TrimIndex {
  /** Ids and times must not decrease. Ignores marks less than a second after the previous one. */
  add(mark: LogMark): void;
  /** Newest mark at or before a feed time; undefined if all are later. */
  at(feedClockMs: number): LogMark | undefined;
  atEntry(id: EntryId): LogMark | undefined;
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

/** Binary search: `holds` is true for a prefix. There are thousands of marks, queried every second. */
function countWhile(marks: readonly LogMark[], holds: (mark: LogMark) => boolean): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(marks[middle] as LogMark)) low = middle + 1;
    else high = middle;
  }
  return low;
}
