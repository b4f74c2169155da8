import { isServiceError, type ServiceError } from '@market-state/errors';
import { Problem } from '../serving/errors/problem';
import { toUtc, type SourceKindName } from '../serving/meta/meta';
import { formatPositions, type Positions, createPositionVector, formatPosition, resumeIdOf, type StreamPosition } from './position';
import type { StreamSource, Piece } from '../serving/answers/handler';
import { type Batch, type Batches, renderSkipped } from './ring';
import { withId, renderedBytes, type Rendered } from './frame';
import { STREAM_LIMITS } from './limits';

/** The list is validated; removes duplicates. */
export function readSymbolList(list: string): readonly string[] {
  return [...new Set(list.split(','))];
}

/** Opened: refusals were thrown before. */
export interface SymbolReader<Content extends Rendered = Rendered> {
  readonly symbol: string;
  readonly start: StreamPosition;
  /** @throws {ServiceError} if the source is lost for good */
  batches(signal: AbortSignal): Batches<Content>;
  /** 0 before the first. */
  feedClockMs(): number;
  sourceKind(): SourceKindName;
  close(): void;
}

/** Each symbol may have one batch ready; together they fill one piece. */
export function batchBytesOf(symbolTotal: number): number {
  return Math.max(STREAM_LIMITS.batchBytesMin, Math.floor(STREAM_LIMITS.pieceBytesMax / symbolTotal));
}

export function createPieceMaker() {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  let messageTotal = 0;
  let skippedTotal = 0;
  return {
    add(buffers: readonly Buffer[]): void {
      for (const buffer of buffers) {
        pieces.push(buffer);
        sizeBytes += buffer.length;
      }
      messageTotal += 1;
    },
    /** Reported as missed. */
    skip(total: number): void {
      skippedTotal += total;
    },
    isFull: () => sizeBytes >= STREAM_LIMITS.pieceBytesMax,
    isEmpty: () => messageTotal === 0,
    make(id: string | null): Piece {
      const piece: Piece = {
        bytes: pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces),
        id,
        messageTotal,
        skippedTotal,
      };
      pieces = [];
      sizeBytes = 0;
      messageTotal = 0;
      skippedTotal = 0;
      return piece;
    },
  };
}

/** Ids are positions in the symbol. */
export function oneSymbol(reader: SymbolReader): StreamSource {
  const { symbol, start } = reader;
  return {
    heartbeatFirst: true,
    startId: resumeIdOf(start),
    async *pieces(signal) {
      const maker = createPieceMaker();
      for await (const { messages, position, skipped } of reader.batches(signal)) {
        for (const message of messages) maker.add(renderedBytes(message.rendered, message.position));
        if (skipped !== null) {
          const span = { symbol, fromId: formatPosition(skipped.from), toId: formatPosition(skipped.to) };
          maker.add([renderSkipped(skipped, span)]);
          maker.skip(skipped.rowTotal + skipped.gapTotal);
        }
        yield maker.make(resumeIdOf(position));
      }
    },
    feedClockMs: () => reader.feedClockMs(),
    sourceKinds: () => [reader.sourceKind()],
    close: () => reader.close(),
  };
}

export interface Joining {
  /** A reader that fails to open ends the stream. Returns the unsubscribe function. */
  start(onReader: (reader: Promise<SymbolReader>) => void): () => void;
}

interface Ready {
  readonly symbol: string;
  readonly batch: Batch;
  readonly batches: Batches;
}

/**
 * A message id combines the positions of all symbols; it is written when merging, around bytes that all readers share.
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

/** All or none. A 410 names every symbol past retention, and the id that resumes the others without loss. */
export async function openSymbols(
  symbols: readonly string[],
  positions: Positions,
  open: (symbol: string) => Promise<SymbolReader>,
): Promise<SymbolReader[]> {
  const tries = await Promise.all(
    symbols.map((symbol) =>
      open(symbol).then(
        (reader) => ({ symbol, reader }),
        (error: unknown) => ({ symbol, error }),
      ),
    ),
  );
  const readers = tries.flatMap((tried) => ('reader' in tried ? [tried.reader] : []));
  const failures = tries.flatMap((tried) => ('error' in tried ? [tried] : []));
  if (failures.length === 0) return readers;
  for (const reader of readers) reader.close();
  const gone = failures.flatMap(({ symbol, error }) => (isGone(error) ? [{ symbol, error }] : []));
  throw failures.find(({ error }) => !isGone(error))?.error ?? beyondRetention(gone, positions);
}

function isGone(error: unknown): error is ServiceError {
  return isServiceError(error) && error.reason === 'beyond_retention';
}

interface Gone {
  readonly symbol: string;
  readonly error: ServiceError;
}

function beyondRetention(gone: readonly Gone[], positions: Positions): Problem {
  const names = gone.map(({ symbol }) => symbol);
  const rest = [...positions].filter(([symbol]) => !names.includes(symbol));
  const oldestMs = gone.map(({ error }) => Number(error.metadata['oldest_ms'] ?? 0));
  return new Problem('beyond_retention', `Messages after this id are no longer retained for ${names.join(', ')}.`, {
    members: {
      ...(Math.min(...oldestMs) > 0 ? { oldest_available_utc: toUtc(Math.max(...oldestMs)) } : {}),
      gone: gone.map(({ symbol }, at) => ({ symbol, oldest_available_utc: oldestMs[at] ? toUtc(oldestMs[at]) : null })),
      resume_id: rest.length === 0 ? null : formatPositions(rest),
    },
    cause: gone[0]?.error,
  });
}
