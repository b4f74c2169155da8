import { compareEntryIds, type EntryId } from '@market-state/event-log';

/** Where feed time stood at an entry. */
export interface LogMark {
  readonly id: EntryId;
  readonly feedClockMs: number;
  /** Newest exchange time up to this entry. */
  readonly exchangeTsMs: number;
}

/** Which entry a moment of feed time belongs to: a mark every second of feed time or so, oldest first. */
export interface TrimIndex {
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
  let marks: LogMark[] = [];
  return {
    add(mark) {
      const newest = marks.at(-1);
      if (newest === undefined || mark.feedClockMs - newest.feedClockMs >= spacingMs) marks.push(mark);
    },
    at: (feedClockMs) => marks.findLast((mark) => mark.feedClockMs <= feedClockMs),
    atEntry: (id) => marks.findLast((mark) => compareEntryIds(mark.id, id) <= 0) ?? marks[0],
    dropBefore(id) {
      marks = marks.filter((mark) => compareEntryIds(mark.id, id) >= 0);
    },
  };
}
