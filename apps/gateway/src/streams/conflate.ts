import { delay } from '@market-state/lifecycle';
import type { StreamPosition } from './position';
import { type Batches, createBatchMaker, type Message } from './batch';
import type { Frame } from './frame';
import { createInterval } from './interval';
import type { SymbolReader } from './symbol-reader';

export interface Conflation {
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
