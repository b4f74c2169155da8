import { compareEntryIds, type EntryId, type EventLog, type MemoryUsage, LOG_START } from '@market-state/event-log';
import { createTrimIndex, type LogMark } from './trim-index';

type Positions = Readonly<Record<string, EntryId>>;

/** Expected consumers without a position count as having committed nothing. Undefined without consumers. */
export function slowestPosition(positions: Positions, expected: readonly string[]): EntryId | undefined {
  const waiting = expected.filter((consumer) => positions[consumer] === undefined).map(() => LOG_START);
  return [...waiting, ...Object.values(positions)].reduce<EntryId | undefined>(
    (slowest, id) => (slowest === undefined || id.ordinal < slowest.ordinal ? id : slowest),
    undefined,
  );
}

export function entriesAhead(lastOrdinal: number, firstRetainedOrdinal: number, slowest: EntryId | undefined): number {
  if (slowest === undefined) return 0;
  return lastOrdinal - Math.max(slowest.ordinal, firstRetainedOrdinal - 1);
}

export interface KeeperSettings {
  readonly retentionMs: number;
  /** Consumers to wait for even before they publish a position. */
  readonly expectedConsumers: readonly string[];
  readonly memoryBytesMax: number;
  readonly onMemory: (symbol: string, usage: MemoryUsage) => void;
}

export interface LogKeeper {
  mark(mark: LogMark): void;
  refresh(): Promise<void>;
  /** Entries not committed by the slowest consumer. */
  entriesAhead(lastOrdinal: number): number;
  isMemoryFull(): boolean;
  /** The oldest entries disappeared without a trim. */
  isLost(): boolean;
  positionOf(consumer: string): EntryId | undefined;
  /** Newest exchange time committed by every consumer; undefined if unknown. */
  safeExchangeTsMs(): number | undefined;
  /** Drops entries older than the retention that every consumer has committed. */
  trim(feedClockMs: number): Promise<void>;
}

export function createLogKeeper(eventLog: EventLog, symbol: string, settings: KeeperSettings, marks: readonly LogMark[]): LogKeeper {
  const index = createTrimIndex();
  marks.forEach(index.add);
  let positions: Positions = {};
  let usedBytes = 0;
  let newest = marks.at(-1);
  let floor = marks[0]?.id;
  let firstRetained: EntryId | undefined = floor;
  const slowest = () => slowestPosition(positions, settings.expectedConsumers);

  return {
    mark(mark) {
      floor ??= mark.id;
      firstRetained ??= mark.id;
      newest = mark;
      index.add(mark);
    },
    async refresh() {
      const [first, published, memory] = await Promise.all([
        eventLog.firstId(symbol),
        eventLog.positions(symbol),
        eventLog.memoryUsage(symbol),
      ]);
      firstRetained = first;
      // A store that lost data also lost positions; consumers will publish them again.
      positions = { ...positions, ...published };
      usedBytes = memory.usedBytes;
      settings.onMemory(symbol, memory);
    },
    entriesAhead: (lastOrdinal) => entriesAhead(lastOrdinal, firstRetained?.ordinal ?? 1, slowest()),
    isMemoryFull: () => usedBytes > settings.memoryBytesMax,
    isLost: () => floor !== undefined && (firstRetained === undefined || compareEntryIds(firstRetained, floor) > 0),
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
      firstRetained = await eventLog.firstId(symbol);
      floor = firstRetained ?? keepFrom;
      index.dropBefore(keepFrom);
    },
  };
}
