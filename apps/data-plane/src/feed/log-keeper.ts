import { compareEntryIds, type EntryId, type EventLog, type MemoryUsage, LOG_START } from '@market-state/event-log';
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

/** About one mark per second. */
interface TrimIndex {
  /** Ids and times must not decrease. Ignores marks less than a second after the previous one. */
  add(mark: LogMark): void;
  /** Undefined if all are later. */
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
  /** Undefined if unknown. */
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
