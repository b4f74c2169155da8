import type { labeling, marketData } from '@market-state/contracts';
import type { ChannelName } from '../clients/market-data-client';
import {
  type StreamPosition,
  type LastEventId,
  positionIn,
  positionsIn,
  BEFORE_EVERY_PACKET_MS,
  hasRowsOf,
  logPosition,
  refuseId,
} from './position';
import type { StreamSource } from '../serving/answers/handler';
import { conflated } from './conflate';
import { oneSymbol, openSymbols, severalSymbols, batchBytesOf, type SymbolReader } from './symbol-readers';
import { followRows, type FollowRowsDeps, readHead } from './follow-rows';
import { STREAM_LIMITS } from './limits';
import type { PacketHub } from './packet-hub';
import type { RowHub, RowHubs } from './row-hubs';
import { type Frame, advance, isBeyond, createGapNumbers } from './frame';
import { type Batch, type Batches, createBatchMaker, isWanted, readRing, type RingReading } from './ring';
import { gapFrame, packetRow, rowFrame } from './render-frames';

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

/**
 * Stored rows and packets up to the ring's oldest message, then the ring. A packet follows the row that closed its
 * window.
 */
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

export interface LiveReaderDeps extends FollowRowsDeps {
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

export async function openLiveStream(
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
