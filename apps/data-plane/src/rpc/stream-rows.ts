import type { marketData } from '@market-state/contracts';
import { failedPrecondition, toServiceError } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { toProtoChannel, toProtoSource } from '@market-state/live-market';
import { CHANNELS } from '@market-state/market-data';
import { INSTANT_MS_MAX, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { readWindowRows, type StoredRow } from '../store/window-reader';
import { readRecorded } from '../store/recorded';
import { readFirstRetained } from '../store/retention';
import { toDataRow, RowBatcher, STREAM_BYTES, gapsReportedAt, type ReportedGaps } from '../window/sent-rows';
import { positionFaults } from '../window/window';
import { type RpcDeps, refuseUnserved } from './deps';

const CHUNK_ROWS = 1_000;
/** Two thirds of the idle time that clients accept. */
const HEARTBEAT_MS = 10_000;
const FAILED_WAIT_MS = 500;

type Frames = AsyncGenerator<marketData.StreamRowsResponse>;

/**
 * Streams rows once they are recorded, so every position is resumable and rows are byte-identical on every read. Slow
 * readers read from storage later; database outages pause the stream.
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
    ...toProtoSource(venue),
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
  const kept = await readFirstRetained(pool, symbol);
  if (kept === undefined || afterOrdinal + 1 >= kept.ordinal) return;
  throw failedPrecondition('beyond_retention', `Rows of ${symbol} after that position are no longer retained.`, {
    metadata: { oldest_ms: String(kept.oldestMs) },
  });
}

/** Passes frames on; returns false on a store outage, after which unread rows are read again. */
async function* passable({ logger }: RpcDeps, frames: Frames): AsyncGenerator<marketData.StreamRowsResponse, boolean> {
  try {
    yield* frames;
    return true;
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code !== 'UNAVAILABLE' && error.code !== 'DEADLINE_EXCEEDED') throw thrown;
    logger.warn({ err: error }, 'reading rows to stream failed; retrying');
    return false;
  }
}

function createLogReader(deps: RpcDeps, symbol: string, start: marketData.LogPosition) {
  let ordinal = start.ordinal;
  let epochBefore: number | undefined = start.ordinal === 0 ? undefined : start.epoch;
  /** Gaps right behind the start entry were sent before. */
  let isStartReported = start.ordinal === 0 || start.packetWindowEndMs > 0;

  function read(afterOrdinal: number, toOrdinal: number): Promise<StoredRow[]> {
    const everything = { symbol, channels: CHANNELS, startMs: 0, endMs: INSTANT_MS_MAX, asOfMs: INSTANT_MS_MAX };
    return readWindowRows(deps, { ...everything, afterOrdinal, toOrdinal, limit: CHUNK_ROWS });
  }

  async function* startFrames(): Frames {
    const [entry] = await read(start.ordinal - 1, start.ordinal);
    const gapFrames = entry?.channel === 'control' ? await gapsReportedAt(deps.pool, entry, undefined) : undefined;
    isStartReported = true;
    // Without an entry here, this is the position of the gaps before an epoch's first one, and more may follow.
    epochBefore = entry?.epoch ?? start.epoch - 1;
    for (const gap of gapFrames?.after ?? []) yield { frame: { $case: 'gap', value: gap } };
  }

  async function gapsAround(rows: readonly StoredRow[]): Promise<Map<StoredRow, ReportedGaps>> {
    const found = new Map<StoredRow, ReportedGaps>();
    let epoch = epochBefore;
    for (const row of rows) {
      if (row.channel !== 'control') continue;
      found.set(row, await gapsReportedAt(deps.pool, row, epoch));
      epoch = row.epoch;
    }
    epochBefore = epoch;
    return found;
  }

  /** Everything is loaded beforehand, so that emitting cannot fail midway. */
  function* framesOf(rows: readonly StoredRow[], gapsOf: ReadonlyMap<StoredRow, ReportedGaps>): Generator<marketData.StreamRowsResponse> {
    const batch = new RowBatcher(STREAM_BYTES);
    for (const row of rows) {
      const gaps = gapsOf.get(row);
      yield* gapFrames(batch, gaps?.before ?? []);
      const full = batch.add(toDataRow(row));
      if (full !== undefined) yield { frame: { $case: 'rows', value: { rows: full } } };
      yield* gapFrames(batch, gaps?.after ?? []);
      ordinal = row.ordinal;
    }
    if (!batch.isEmpty) yield { frame: { $case: 'rows', value: { rows: batch.take() } } };
  }

  function* gapFrames(batch: RowBatcher, gaps: readonly marketData.Gap[]): Generator<marketData.StreamRowsResponse> {
    if (gaps.length > 0 && !batch.isEmpty) yield { frame: { $case: 'rows', value: { rows: batch.take() } } };
    for (const gap of gaps) yield { frame: { $case: 'gap', value: gap } };
  }

  return {
    ordinal: () => ordinal,
    async *upTo(toOrdinal: number): Frames {
      if (!isStartReported) yield* startFrames();
      while (ordinal < toOrdinal) {
        const rows = await read(ordinal, toOrdinal);
        yield* framesOf(rows, await gapsAround(rows));
        if (rows.length < CHUNK_ROWS) ordinal = toOrdinal;
      }
    },
  };
}
