import type { marketData } from '@market-state/contracts';
import { failedPrecondition, toServiceError } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { toProtoChannel, toProtoSourceKind } from '@market-state/live-market';
import { CHANNELS } from '@market-state/market-data';
import { INSTANT_MS_MAX, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { readWindowRows, type StoredRow } from '../store/window-reader';
import { readRecorded } from '../store/recorded';
import { readFirstKept } from '../store/retention';
import { toDataRow, RowBatcher, STREAM_BYTES } from '../window/row-batches';
import { positionFaults } from '../window/window';
import { gapsToldAt, type ToldGaps } from '../window/told-gaps';
import { type RpcDeps, refuseUnserved } from './deps';

/** Rows of one read. */
const CHUNK_ROWS = 1_000;
/** Two thirds of what a reader may be left without a word. */
const HEARTBEAT_MS = 10_000;
const FAILED_WAIT_MS = 500;

type Frames = AsyncGenerator<marketData.StreamRowsResponse>;

/**
 * Rows of a symbol after a place in its log, or from now on, as soon as they are recorded: what was streamed is stored, so that
 * every place in the stream can be gone on from, and rows are the same bytes whenever they are read. Holds one read's rows and one
 * message at a time; a reader that is slow reads later what is stored. While the database is away the stream waits.
 */
export async function* streamRows(deps: RpcDeps, request: marketData.StreamRowsRequest, { signal }: Pick<CallContext, 'signal'>): Frames {
  const { symbol } = request;
  refuseFaults(symbolFaults(symbol), positionFaults(request.after));
  refuseUnserved(deps, symbol);
  const recorded = await readRecorded(deps.pool, symbol);
  const start = request.after ?? { epoch: recorded.epoch, ordinal: recorded.ordinal, packetWindowEndMs: 0 };
  if (request.after !== undefined) await refuseBeyondRetention(deps, symbol, start.ordinal);
  const venue = deps.venues.of(symbol);
  const head = {
    symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    channels: venue.channels.map(toProtoChannel),
    after: start,
  };
  yield { frame: { $case: 'head', value: head } };

  const reader = createLogReader(deps, symbol, start);
  let toOrdinal: number | undefined = recorded.ordinal;
  while (!signal.aborted) {
    if (toOrdinal === undefined)
      yield { frame: { $case: 'heartbeat', value: { feedClockMs: deps.tail.peek(symbol)?.clock.nowMs() ?? 0 } } };
    else if (!(yield* passable(deps, reader.upTo(toOrdinal)))) await deps.timer.sleep(FAILED_WAIT_MS, signal);
    toOrdinal = await deps.recordedWatch.past(symbol, reader.ordinal(), HEARTBEAT_MS, signal);
  }
}

async function refuseBeyondRetention({ pool }: RpcDeps, symbol: string, afterOrdinal: number): Promise<void> {
  const kept = await readFirstKept(pool, symbol);
  if (kept === undefined || afterOrdinal + 1 >= kept.ordinal) return;
  throw failedPrecondition('beyond_retention', `Rows of ${symbol} after that place are no longer kept.`, {
    metadata: { oldest_ms: String(kept.oldestMs) },
  });
}

/** Passes frames on; false when the store was away: what was not read is read again. Any other failure is thrown. */
async function* passable({ logger }: RpcDeps, frames: Frames): AsyncGenerator<marketData.StreamRowsResponse, boolean> {
  try {
    yield* frames;
    return true;
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code !== 'UNAVAILABLE' && error.code !== 'DEADLINE_EXCEEDED') throw thrown;
    logger.warn({ err: error }, 'rows to stream cannot be read; trying again');
    return false;
  }
}

/** Reads a symbol's log forward, from where it stands. */
function createLogReader(deps: RpcDeps, symbol: string, start: marketData.LogPosition) {
  /** Rows up to here were given. */
  let ordinal = start.ordinal;
  let epochBefore: number | undefined = start.ordinal === 0 ? undefined : start.epoch;
  /** What is told at the start, right behind its entry, was told before. */
  let isStartTold = start.ordinal === 0 || start.packetWindowEndMs > 0;

  function read(afterOrdinal: number, toOrdinal: number): Promise<StoredRow[]> {
    const everything = { symbol, channels: CHANNELS, startMs: 0, endMs: INSTANT_MS_MAX, asOfMs: INSTANT_MS_MAX };
    return readWindowRows(deps, { ...everything, afterOrdinal, toOrdinal, limit: CHUNK_ROWS });
  }

  async function* tellStart(): Frames {
    const [entry] = await read(start.ordinal - 1, start.ordinal);
    const told = entry?.channel === 'control' ? await gapsToldAt(deps.pool, entry, undefined) : undefined;
    isStartTold = true;
    // No entry is there: it is the place of the gaps before an epoch's first one, and there may be more of them.
    epochBefore = entry?.epoch ?? start.epoch - 1;
    for (const gap of told?.after ?? []) yield { frame: { $case: 'gap', value: gap } };
  }

  /** The gaps around each row that has some. */
  async function gapsAround(rows: readonly StoredRow[]): Promise<Map<StoredRow, ToldGaps>> {
    const found = new Map<StoredRow, ToldGaps>();
    let epoch = epochBefore;
    for (const row of rows) {
      if (row.channel !== 'control') continue;
      found.set(row, await gapsToldAt(deps.pool, row, epoch));
      epoch = row.epoch;
    }
    epochBefore = epoch;
    return found;
  }

  /** Frames of rows with all that they need: giving them can't fail half way. */
  function* framesOf(rows: readonly StoredRow[], gapsOf: ReadonlyMap<StoredRow, ToldGaps>): Generator<marketData.StreamRowsResponse> {
    const batch = new RowBatcher(STREAM_BYTES);
    for (const row of rows) {
      const gaps = gapsOf.get(row);
      yield* told(batch, gaps?.before ?? []);
      const full = batch.add(toDataRow(row));
      if (full !== undefined) yield { frame: { $case: 'rows', value: { rows: full } } };
      yield* told(batch, gaps?.after ?? []);
      ordinal = row.ordinal;
    }
    if (!batch.isEmpty) yield { frame: { $case: 'rows', value: { rows: batch.take() } } };
  }

  function* told(batch: RowBatcher, gaps: readonly marketData.Gap[]): Generator<marketData.StreamRowsResponse> {
    if (gaps.length > 0 && !batch.isEmpty) yield { frame: { $case: 'rows', value: { rows: batch.take() } } };
    for (const gap of gaps) yield { frame: { $case: 'gap', value: gap } };
  }

  return {
    ordinal: () => ordinal,
    /** What the log has up to an ordinal; the place moves on as it is given. */
    async *upTo(toOrdinal: number): Frames {
      if (!isStartTold) yield* tellStart();
      while (ordinal < toOrdinal) {
        const rows = await read(ordinal, toOrdinal);
        yield* framesOf(rows, await gapsAround(rows));
        if (rows.length < CHUNK_ROWS) ordinal = toOrdinal;
      }
    },
  };
}
