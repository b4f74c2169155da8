import { compareEntryIds, type EntryId, type EventLog, type MemoryUsage, LOG_START } from '@market-state/event-log';
import { createTrimIndex, type LogMark } from './trim-index';

/** Published positions by consumer name. */
type Positions = Readonly<Record<string, EntryId>>;

/**
 * The last entry that every consumer has committed: of those that have published a position, and of those expected, which
 * have committed nothing until they publish one. Undefined when there is nobody to wait for.
 */
export function slowestPosition(positions: Positions, expected: readonly string[]): EntryId | undefined {
  const waiting = expected.filter((consumer) => positions[consumer] === undefined).map(() => LOG_START);
  return [...waiting, ...Object.values(positions)].reduce<EntryId | undefined>(
    (slowest, id) => (slowest === undefined || id.ordinal < slowest.ordinal ? id : slowest),
    undefined,
  );
}

/** How many of the entries kept, the last of which is `lastOrdinal`, the slowest consumer has not committed. */
export function entriesAhead(lastOrdinal: number, firstKeptOrdinal: number, slowest: EntryId | undefined): number {
  if (slowest === undefined) return 0;
  return lastOrdinal - Math.max(slowest.ordinal, firstKeptOrdinal - 1);
}

export interface KeeperSettings {
  /** Feed time that the log keeps, milliseconds. */
  readonly retentionMs: number;
  /** Consumers that are waited for although they have not published a position yet. */
  readonly expectedConsumers: readonly string[];
  /** Memory of the store above which the feed pauses, bytes. */
  readonly memoryBytesMax: number;
  /** Told what the store reports of its memory, each time it is asked for a symbol's log. */
  readonly onMemory: (symbol: string, usage: MemoryUsage) => void;
}

/** What is known of a symbol's log from its far end: how much of it is still needed. */
export interface LogKeeper {
  /** Notes where feed time stood at an appended entry. */
  mark(mark: LogMark): void;
  /** Asks the store again. Rejects while it is away. */
  refresh(): Promise<void>;
  /** Entries that the slowest consumer has not committed. */
  entriesAhead(lastOrdinal: number): number;
  isMemoryFull(): boolean;
  /** The oldest entries kept are gone although nobody trimmed them. */
  isLost(): boolean;
  /** Up to where a consumer has committed, as far as is known. */
  positionOf(consumer: string): EntryId | undefined;
  /** Newest exchange time up to what every consumer has committed; undefined when nothing is known of it. */
  safeExchangeTsMs(): number | undefined;
  /** Drops what is older than the retention, but nothing that a consumer has not committed. */
  trim(feedClockMs: number): Promise<void>;
}

/**
 * @param marks what the log holds already, see `readMarks`
 */
export function createLogKeeper(eventLog: EventLog, symbol: string, settings: KeeperSettings, marks: readonly LogMark[]): LogKeeper {
  const index = createTrimIndex();
  marks.forEach(index.add);
  let positions: Positions = {};
  let usedBytes = 0;
  let newest = marks.at(-1);
  let floor = marks[0]?.id;
  let firstKept: EntryId | undefined = floor;
  const slowest = () => slowestPosition(positions, settings.expectedConsumers);

  return {
    mark(mark) {
      floor ??= mark.id;
      firstKept ??= mark.id;
      newest = mark;
      index.add(mark);
    },
    async refresh() {
      const [first, published, memory] = await Promise.all([
        eventLog.firstId(symbol),
        eventLog.positions(symbol),
        eventLog.memoryUsage(symbol),
      ]);
      firstKept = first;
      // A store that has lost its data has lost positions too; consumers publish them again.
      positions = { ...positions, ...published };
      usedBytes = memory.usedBytes;
      settings.onMemory(symbol, memory);
    },
    entriesAhead: (lastOrdinal) => entriesAhead(lastOrdinal, firstKept?.ordinal ?? 1, slowest()),
    isMemoryFull: () => usedBytes > settings.memoryBytesMax,
    isLost: () => floor !== undefined && (firstKept === undefined || compareEntryIds(firstKept, floor) > 0),
    positionOf: (consumer) => positions[consumer],
    safeExchangeTsMs() {
      const committed = slowest();
      return (committed === undefined ? newest : index.atEntry(committed))?.exchangeTsMs;
    },
    async trim(feedClockMs) {
      const horizon = index.at(feedClockMs - settings.retentionMs)?.id;
      const committed = slowest();
      const keepFrom = horizon !== undefined && committed !== undefined && compareEntryIds(committed, horizon) < 0 ? committed : horizon;
      if (keepFrom === undefined || floor === undefined || compareEntryIds(keepFrom, floor) <= 0) return;
      await eventLog.trim(symbol, keepFrom);
      firstKept = await eventLog.firstId(symbol);
      floor = firstKept ?? keepFrom;
      index.dropBefore(keepFrom);
    },
  };
}
