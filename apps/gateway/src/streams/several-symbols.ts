import type { StreamSource } from '../serving/answers/handler';
import type { Batch, Batches } from './batch';
import { withId } from './frame';
import { createPieceMaker } from './piece-maker';
import { createPositionVector } from './position';
import { renderSkipped } from './skipped';
import type { SymbolReader } from './symbol-reader';

/** Symbols that come to a stream while it is open. */
export interface Joining {
  /** Calls back with the reader of each; gives the way to stop it. A reader that cannot be opened ends the stream. */
  start(onReader: (reader: Promise<SymbolReader>) => void): () => void;
}

interface Ready {
  readonly symbol: string;
  readonly batch: Batch;
  readonly batches: Batches;
}

/**
 * A stream of several symbols, each message with the position in every one of them as its id. An id is written when its message is put in
 * its place among the others, from the bytes that all readers share.
 */
export function severalSymbols(first: readonly SymbolReader[], joining: Joining | null = null): StreamSource {
  const readers = [...first];
  const vector = createPositionVector(readers.map(({ symbol, start }) => [symbol, start] as const));

  async function* pieces(signal: AbortSignal): ReturnType<StreamSource['pieces']> {
    const ready: Ready[] = [];
    const open = new Set<Batches>();
    let failure: { readonly error: unknown } | undefined;
    let wake = (): void => undefined;

    function fail(error: unknown): void {
      failure ??= { error };
      wake();
    }

    function pull(symbol: string, batches: Batches): void {
      batches.next().then((next) => {
        if (next.done !== true) ready.push({ symbol, batch: next.value, batches });
        wake();
      }, fail);
    }

    function begin(reader: SymbolReader): void {
      const batches = reader.batches(signal);
      open.add(batches);
      pull(reader.symbol, batches);
    }

    function join(joined: SymbolReader): void {
      if (signal.aborted) return joined.close();
      readers.push(joined);
      vector.move(joined.symbol, joined.start);
      begin(joined);
    }

    const maker = createPieceMaker();
    let sentId = vector.id();
    function take({ symbol, batch: { messages, position, skipped } }: Ready): void {
      for (const message of messages) maker.add(withId(vector.move(symbol, message.position), message.rendered));
      const fromId = vector.id();
      const toId = vector.move(symbol, position);
      if (skipped === null) return;
      maker.add([renderSkipped(skipped, { symbol, fromId, toId })]);
      maker.skip(skipped.rowTotal + skipped.gapTotal);
    }

    signal.addEventListener('abort', () => wake(), { once: true });
    readers.forEach(begin);
    const stopJoining = joining?.start((reader) => void reader.then(join, fail));
    try {
      while (!signal.aborted) {
        const next = ready.shift();
        if (next !== undefined) {
          take(next);
          pull(next.symbol, next.batches);
        }
        if (vector.id() !== sentId && (ready.length === 0 || maker.isFull())) yield maker.make((sentId = vector.id()));
        else if (next === undefined) {
          if (failure !== undefined) throw failure.error;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      stopJoining?.();
      for (const batches of open) void batches.return().catch(() => undefined);
    }
  }

  return {
    heartbeatFirst: true,
    startId: vector.id(),
    pieces,
    feedClockMs: () => Math.max(...readers.map((reader) => reader.feedClockMs())),
    feedClocks: () => new Map(readers.map((reader) => [reader.symbol, reader.feedClockMs()])),
    sourceKinds: () => readers.map((reader) => reader.sourceKind()),
    close() {
      for (const reader of readers) reader.close();
    },
  };
}
