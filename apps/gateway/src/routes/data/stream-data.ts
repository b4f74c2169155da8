import type { labeling, marketData } from '@market-state/contracts';
import { CHANNEL_NAMES, type ChannelName, refuseBeforeRetention, servedSymbols } from '../../clients/market-data-client';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler, StreamSource } from '../../serving/answers/handler';
import { InvalidRequest } from '../../serving/errors/problem';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant } from '../../serving/meta/meta';
import { conflated } from '../../streams/conflate';
import { type FollowRowsDeps, followRows, readHead } from '../../streams/follow-rows';
import { type Frame, advance, createGapNumbers, isBeyond } from '../../streams/frame';
import { STREAM_LIMITS } from '../../streams/limits';
import type { OpenStreams } from '../../streams/open-streams';
import type { PacketHub } from '../../streams/packet-hub';
import {
  BEFORE_EVERY_PACKET_MS,
  type LastEventId,
  type StreamPosition,
  hasRowsOf,
  logPosition,
  positionIn,
  positionsIn,
  readLastEventId,
  refuseId,
} from '../../streams/position';
import { gapFrame, packetRow, rowFrame } from '../../streams/render-frames';
import { type ReplayRequest, openReplaySource, streamWindowOf } from '../../streams/replay';
import { type Batch, type Batches, type RingReading, createBatchMaker, isWanted, readRing } from '../../streams/ring';
import type { RowHub, RowHubs } from '../../streams/row-hubs';
import { streamManifest } from '../../streams/stream-manifest';
import { type SymbolReader, batchBytesOf, oneSymbol, openSymbols, readSymbolList, severalSymbols } from '../../streams/symbol-readers';
import type { ReadDeps } from '../../clients/upstreams';

/** Parses a validated comma-separated list; empty means all channels. */
function readChannelList(list: string): ReadonlySet<ChannelName> {
  const requested = new Set(list.split(','));
  return new Set(CHANNEL_NAMES.filter((name) => list === '' || requested.has(name)));
}

export function streamData(streams: Pick<OpenStreams, 'admit'>, deps: LiveReaderDeps): Handler<'streamData'> {
  return ({ input, grant }) => {
    const after = readLastEventId(input.headers['last-event-id']);
    const { symbol, channels, conflate_ms: conflateMs } = input.query;
    const wanted = { symbols: readSymbolList(symbol), channels: readChannelList(channels), conflateMs };
    return streams.admit(grant, 'live', () => openLiveStream(deps, wanted, after));
  };
}

/** A resumed replay needs its original window, because the default window moves. */
function refuseMovingWindow(startMs: number | null, endMs: number | null): void {
  const missing = [...(startMs === null ? ['start'] : []), ...(endMs === null ? ['end'] : [])];
  if (missing.length > 0)
    throw new InvalidRequest(
      missing.map((name) => ({
        loc: ['query', name],
        msg: 'is required with Last-Event-ID: send the value from the plan of the replay',
        type: 'missing',
      })),
    );
}

/**
 * Sorted by name, the order of rows received at the same time. A symbol missing from the id starts at the beginning.
 */
function readersOf(list: string, id: LastEventId | null): ReplayRequest['symbols'] {
  const symbols = [...readSymbolList(list)].sort();
  const [only, ...further] = symbols;
  if (only !== undefined && further.length === 0) return [{ symbol: only, after: positionIn(id, only) }];
  const positions = positionsIn(id, symbols);
  return symbols.map((symbol) => ({ symbol, after: positions.get(symbol) ?? null }));
}

export function streamDataReplay(streams: Pick<OpenStreams, 'admit'>, deps: FollowRowsDeps): Handler<'streamDataReplay'> {
  return ({ input, grant }) => {
    const { query } = input;
    const id = readLastEventId(input.headers['last-event-id']);
    const symbols = readersOf(query.symbol, id);
    const [startMs, endMs, asOfMs] = [parseInstant(query.start), parseInstant(query.end), parseInstant(query.as_of)];
    if (id !== null) refuseMovingWindow(startMs, endMs);
    const speed = query.speed === 'max' ? 0 : Number(query.speed);
    return streams.admit(grant, 'replay', async () => {
      if (asOfMs !== null) await Promise.all(symbols.map(({ symbol }) => refuseBeforeRetention(deps.rows, symbol, asOfMs)));
      const clocks = await Promise.all(symbols.map(({ symbol }) => deps.rows.call.getFreshness({ symbol })));
      // Only the span that is recorded for all symbols.
      const feedClockMs = Math.min(...clocks.map((freshness) => freshness.feedClockMs));
      const channels = query.channels === '' ? [] : [...readChannelList(query.channels)];
      const window = streamWindowOf(startMs, endMs, feedClockMs);
      return openReplaySource(deps, { symbols, channels, ...window, asOfMs: asOfMs ?? 0, speed });
    });
  };
}

/** Constant while the process runs, so computed once on first use. */
let manifestFields: ReturnType<typeof streamManifest> | undefined;

export function getStreamManifest({ marketData: client, dataHealth, now }: ReadDeps): Handler<'getStreamManifest'> {
  return async ({ operation, grant }) => {
    const source = serviceSource(await servedSymbols(client), dataHealth, now());
    return jsonRepresentation(dataAnswer({ operation, grant }, source, (manifestFields ??= streamManifest())));
  };
}

interface CatchUp {
  readonly symbol: string;
  readonly reading: RingReading;
  /** Rows after the reader's position; null if the ring has them all. */
  readonly rows: AsyncGenerator<marketData.StreamRowsResponse> | null;
  readonly packets: PacketHub;
}

function storedFrame(row: marketData.DataRow): Frame {
  return rowFrame(row, row.receivedTsMs);
}

function createPacketCursor({ symbol, packets }: CatchUp, signal: AbortSignal) {
  let page: AsyncGenerator<labeling.PacketRecord> | null = null;
  let next: labeling.PacketRecord | undefined;
  return {
    async peek(afterMs: number): Promise<labeling.PacketRecord | undefined> {
      if (next !== undefined && next.windowEndMs > afterMs) return next;
      if (packets.newestMs(symbol) <= afterMs) return undefined;
      page ??= packets.stored(symbol, afterMs, signal);
      const read = await page.next();
      if (read.done === true) page = null;
      next = read.done === true ? undefined : read.value;
      return next;
    },
  };
}

/** Up to the ring's oldest message, then the ring. A packet follows the row that closed its window. */
async function* catchUp(from: CatchUp, start: StreamPosition, signal: AbortSignal): Batches<Frame> {
  const { ring, channels, withPackets } = from.reading;
  const cursor = createPacketCursor(from, signal);
  const maker = createBatchMaker<Frame>(from.reading.batchBytesMax);
  const gaps = createGapNumbers();
  let position = start;

  function take(frame: Frame): void {
    if (!isBeyond(frame, position)) return;
    position = advance(position, frame);
    if (isWanted(frame, channels)) maker.add({ rendered: frame, position });
  }

  /** Packets whose windows closed before a row, or all those before the ring. */
  async function takePackets(isDue: (packet: labeling.PacketRecord) => boolean): Promise<void> {
    if (!withPackets) return;
    for (
      let packet = await cursor.peek(position.windowEndMs);
      packet !== undefined && isDue(packet);
      packet = await cursor.peek(position.windowEndMs)
    ) {
      take(storedFrame(packetRow(packet)));
    }
  }

  async function* takeMessage({ frame }: marketData.StreamRowsResponse): AsyncGenerator<Batch<Frame>> {
    if (frame?.$case === 'head') gaps.restart();
    if (frame?.$case === 'gap') take(gapFrame(frame.value, gaps.next(frame.value, position)));
    if (frame?.$case !== 'rows') return;
    for (const row of frame.value.rows) {
      await takePackets((packet) => packet.closingOrdinal < row.sequence);
      take(storedFrame(row));
      if (maker.isFull()) yield maker.make(position);
    }
  }

  if (from.rows !== null) {
    for await (const message of from.rows) {
      yield* takeMessage(message);
      yield maker.make(position);
      if (hasRowsOf(position, ring.tail())) break;
    }
  }
  while (withPackets && !signal.aborted && position.windowEndMs < ring.tail().windowEndMs) {
    const before = position.windowEndMs;
    await takePackets((packet) => packet.windowEndMs <= ring.tail().windowEndMs && !maker.isFull());
    if (position.windowEndMs === before) break;
    yield maker.make(position);
  }
  yield* readRing(from.reading, position, signal);
}

interface LiveReaderDeps extends FollowRowsDeps {
  readonly hubs: RowHubs;
  readonly packets: PacketHub;
}

interface LiveRows {
  readonly symbol: string;
  readonly channels: ReadonlySet<ChannelName>;
  readonly batchBytesMax: number;
}

function startOf(hub: RowHub, { symbol, channels }: LiveRows, after: StreamPosition | null): StreamPosition {
  const withPackets = channels.has('packets');
  const head = hub.ring.head();
  const newestMs = withPackets ? head.windowEndMs : 0;
  if (after === null) return { ...head, windowEndMs: newestMs };
  const isNone = after.epoch === 0 && after.ordinal > 0;
  if (isNone || after.epoch > head.epoch || after.ordinal > head.ordinal + STREAM_LIMITS.aheadRowsMax)
    throw refuseId(`names a position that ${symbol} has not reached`);
  return { ...after, windowEndMs: withPackets && after.windowEndMs > 0 ? after.windowEndMs : newestMs };
}

/** All refusals happen here: unknown symbols, ids without a position, and rows past retention. */
async function openLiveReader(deps: LiveReaderDeps, wanted: LiveRows, after: StreamPosition | null): Promise<SymbolReader<Frame>> {
  const { symbol, channels, batchBytesMax } = wanted;
  const { hub, release } = await deps.hubs.enter(symbol);
  const stop = new AbortController();
  const withPackets = channels.has('packets');
  const close = (): void => {
    stop.abort();
    release();
  };
  try {
    const start = startOf(hub, wanted, after);
    const { ring } = hub;
    const rows = hasRowsOf(start, ring.tail()) ? null : followRows(deps, symbol, logPosition(start), stop.signal);
    if (rows !== null) await readHead(rows);
    const packetsMissing = withPackets && start.windowEndMs < ring.tail().windowEndMs && start.windowEndMs > BEFORE_EVERY_PACKET_MS;
    if (packetsMissing) await deps.packets.require(symbol, start.windowEndMs);
    const reading = { ring, channels, withPackets, lost: hub.lost, batchBytesMax };
    return {
      symbol,
      start,
      batches: (signal) => catchUp({ symbol, reading, rows, packets: deps.packets }, start, AbortSignal.any([signal, stop.signal])),
      feedClockMs: () => hub.feedClockMs(),
      sourceKind: () => hub.sourceKind(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

interface LiveStream {
  readonly symbols: readonly string[];
  readonly channels: ReadonlySet<ChannelName>;
  /** 0 sends every row. */
  readonly conflateMs: number;
}

async function openLiveStream(
  deps: LiveReaderDeps,
  { symbols, channels, conflateMs }: LiveStream,
  after: LastEventId | null,
): Promise<StreamSource> {
  const batchBytesMax = batchBytesOf(symbols.length);
  async function open(symbol: string, position: StreamPosition | null): Promise<SymbolReader> {
    const reader = await openLiveReader(deps, { symbol, channels, batchBytesMax }, position);
    return conflateMs === 0 ? reader : conflated(reader, { conflateMs, batchBytesMax });
  }
  const [only, ...further] = symbols;
  if (only !== undefined && further.length === 0) return oneSymbol(await open(only, positionIn(after, only)));
  const positions = positionsIn(after, symbols);
  return severalSymbols(await openSymbols(symbols, positions, (symbol) => open(symbol, positions.get(symbol) ?? null)));
}
