import { delay } from '@market-state/lifecycle';
import type { StreamPosition } from './position';
import { type Batches, createBatchMaker, type Message } from './ring';
import { type Frame, type Rendered, render } from './frame';
import type { SymbolReader } from './symbol-readers';
import { STREAM_LIMITS } from './limits';
import { answerText } from '../serving/meta/meta';

const ROW_HEAD_BYTES = Buffer.byteLength('event: row\ndata: ');
const ROW_END_BYTES = 2;

interface Interval {
  isEmpty(): boolean;
  isFull(): boolean;
  /** Any row belongs to an empty interval. */
  has(frame: Frame): boolean;
  add(frame: Frame): void;
  leftMs(): number;
  /** Renders and clears the interval; null if empty. */
  take(position: StreamPosition): Rendered | null;
}

export function createInterval(symbol: string, lengthMs: number): Interval {
  /** In log order; undefined once replaced by a newer row. */
  let rows: (Frame | undefined)[] = [];
  const placeOf = new Map<string, number>();
  let replaced: Record<string, number> = {};
  let sizeBytes = 0;
  let startMs = 0;

  function startOf({ takenAtMs }: Frame): number {
    return takenAtMs - (takenAtMs % lengthMs);
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
      // An interval that is over still takes rows that can be read without waiting.
      return leftMs > 0 ? leftMs + 1 : lengthMs;
    },
    take(position) {
      if (rows.length === 0) return null;
      const kept = rows.filter((row) => row !== undefined);
      const total = Object.values(replaced).reduce((sum, count) => sum + count, 0);
      const data = kept.flatMap(({ body }, at) => [at === 0 ? '' : ',', body.subarray(ROW_HEAD_BYTES, -ROW_END_BYTES)]);
      const counts = `"conflated_total":${total},"conflated_by_channel":${JSON.stringify(replaced)}`;
      const message = render('conflated', position, [`${answerText({ symbol }).slice(0, -1)},${counts},"rows":[`, ...data, ']}']);
      rows = [];
      placeOf.clear();
      replaced = {};
      sizeBytes = 0;
      return message;
    },
  };
}

interface Conflation {
  readonly conflateMs: number;
  readonly batchBytesMax: number;
}

/**
 * The newest book and clock tick and all other rows of an interval. A gap flushes the interval and stays separate.
 * Intervals use the time a row reached this gateway or, before the ring, the feed's receive time.
 */
export function conflated(reader: SymbolReader<Frame>, conflation: Conflation): SymbolReader {
  return { ...reader, batches: (signal) => conflate(reader, conflation, signal) };
}

async function* conflate(reader: SymbolReader<Frame>, { conflateMs, batchBytesMax }: Conflation, signal: AbortSignal): Batches {
  const batches = reader.batches(signal);
  const interval = createInterval(reader.symbol, conflateMs);
  const maker = createBatchMaker(batchBytesMax);
  /** Rows between `sent` and `read` are being batched. */
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
