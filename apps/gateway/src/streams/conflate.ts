import { delay } from '@market-state/lifecycle';
import type { StreamPosition } from './position';
import { type Batches, createBatchMaker, type Message } from './ring';
import { type Frame, type Rendered, render } from './frame';
import type { SymbolReader } from './symbol-readers';
import { STREAM_LIMITS } from './limits';

/** What stands before and after the data of a row in its message. */
const ROW_HEAD_BYTES = Buffer.byteLength('event: row\ndata: ');
const ROW_END_BYTES = 2;

/** The rows of one interval of a conflated stream. */
interface Interval {
  isEmpty(): boolean;
  /** It has as many bytes as one message may have. */
  isFull(): boolean;
  /** Whether a row belongs to it; to an empty one every row does. */
  has(frame: Frame): boolean;
  add(frame: Frame): void;
  /** How long it may still be added to, milliseconds. */
  leftMs(): number;
  /** Its rows as a message, and it is empty; null when it was. */
  take(position: StreamPosition): Rendered | null;
}

/** Collects rows by intervals of so many milliseconds. */
export function createInterval(symbol: string, lengthMs: number): Interval {
  /** In the order of the log; undefined where a newer row took the place. */
  let rows: (Frame | undefined)[] = [];
  const placeOf = new Map<string, number>();
  let replaced: Record<string, number> = {};
  let sizeBytes = 0;
  let startMs = 0;

  function startOf({ takenMs }: Frame): number {
    return takenMs - (takenMs % lengthMs);
  }

  function replace(frame: Frame, kind: string): void {
    const place = placeOf.get(kind);
    placeOf.set(kind, rows.length);
    const older = place === undefined ? undefined : rows[place];
    if (place === undefined || older === undefined) return;
    rows[place] = undefined;
    sizeBytes -= older.body.length;
    const channel = frame.channel ?? '';
    replaced[channel] = (replaced[channel] ?? 0) + 1;
  }

  return {
    isEmpty: () => rows.length === 0,
    isFull: () => sizeBytes >= STREAM_LIMITS.pieceBytesMax,
    has: (frame) => rows.length === 0 || startOf(frame) === startMs,
    add(frame) {
      if (rows.length === 0) startMs = startOf(frame);
      if (frame.replacedBy !== null) replace(frame, frame.replacedBy);
      rows.push(frame);
      sizeBytes += frame.body.length;
    },
    leftMs() {
      const leftMs = startMs + lengthMs - Date.now();
      // Of an interval that is long over, the rest comes as fast as it can be read.
      return leftMs > 0 ? leftMs + 1 : lengthMs;
    },
    take(position) {
      if (rows.length === 0) return null;
      const kept = rows.filter((row) => row !== undefined);
      const total = Object.values(replaced).reduce((sum, count) => sum + count, 0);
      const data = kept.flatMap(({ body }, at) => [at === 0 ? '' : ',', body.subarray(ROW_HEAD_BYTES, -ROW_END_BYTES)]);
      const counts = `"conflated_total":${total},"conflated_by_channel":${JSON.stringify(replaced)}`;
      const message = render('conflated', position, [`{"symbol":${JSON.stringify(symbol)},${counts},"rows":[`, ...data, ']}']);
      rows = [];
      placeOf.clear();
      replaced = {};
      sizeBytes = 0;
      return message;
    },
  };
}

interface Conflation {
  /** Length of an interval, milliseconds, above 0. */
  readonly conflateMs: number;
  readonly batchBytesMax: number;
}

/**
 * A symbol's rows in one message for each interval: all of them but books and clock ticks that a newer one of the interval replaces. A gap
 * stays a message of its own, in its place: the interval before it is sent first. Intervals go by when a row came to this gateway; where
 * rows are read from before its memory, by when the feed received them.
 */
export function conflated(reader: SymbolReader<Frame>, conflation: Conflation): SymbolReader {
  return { ...reader, batches: (signal) => conflate(reader, conflation, signal) };
}

async function* conflate(reader: SymbolReader<Frame>, { conflateMs, batchBytesMax }: Conflation, signal: AbortSignal): Batches {
  const batches = reader.batches(signal);
  const interval = createInterval(reader.symbol, conflateMs);
  const maker = createBatchMaker(batchBytesMax);
  /** Everything up to here was read; up to `sent` it was sent or is in the maker. */
  let read: StreamPosition = reader.start;
  let sent = read;

  function closeInterval(): void {
    const rendered = interval.take(read);
    sent = read;
    if (rendered !== null) maker.add({ rendered, position: sent });
  }

  function take({ rendered: frame, position }: Message<Frame>): void {
    const isGap = frame.kind === 'gap';
    if (isGap || !interval.has(frame)) closeInterval();
    read = position;
    if (isGap) maker.add({ rendered: frame, position: (sent = read) });
    else interval.add(frame);
    if (interval.isFull()) closeInterval();
  }

  try {
    let next = batches.next();
    for (;;) {
      const had = interval.isEmpty() ? await next : await firstOf(next, interval.leftMs());
      if (had === null) {
        closeInterval();
        yield maker.make(sent);
        continue;
      }
      if (had.done === true) return;
      const { messages, position, skipped } = had.value;
      messages.forEach(take);
      if (skipped !== null) {
        closeInterval();
        if (!maker.isEmpty()) yield maker.make(sent);
        yield had.value;
      }
      read = position;
      if (interval.isEmpty()) sent = read;
      if (!maker.isEmpty() || interval.isEmpty()) yield maker.make(sent);
      next = batches.next();
    }
  } finally {
    void batches.return().catch(() => undefined);
  }
}

/** What comes within a time; null when nothing does. */
async function firstOf<T>(coming: Promise<T>, withinMs: number): Promise<T | null> {
  const waiting = new AbortController();
  const over = delay(withinMs, waiting.signal).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([coming, over]);
  } finally {
    waiting.abort();
  }
}
