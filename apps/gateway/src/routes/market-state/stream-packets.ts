import type { labeling } from '@market-state/contracts';
import { isServiceError, unavailable } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../../clients/market-data-client';
import type { Handler, StreamSource } from '../../serving/answers/handler';
import type { PacketView } from '../../serving/answers/packet-answer';
import { advance } from '../../streams/frame';
import type { OpenStreams } from '../../streams/open-streams';
import type { PacketHub } from '../../streams/packet-hub';
import {
  type LastEventId,
  type Positions,
  type StreamPosition,
  hasRowsOf,
  positionIn,
  positionsIn,
  readLastEventId,
  refuseId,
} from '../../streams/position';
import { packetFrame } from '../../streams/render-frames';
import { type Batches, type Ring, type RingReading, createBatchMaker, readRing } from '../../streams/ring';
import {
  type Joining,
  type SymbolReader,
  batchBytesOf,
  oneSymbol,
  openSymbols,
  readSymbolList,
  severalSymbols,
} from '../../streams/symbol-readers';

const PACKETS = new Set(['packets'] as const);

interface PacketReaderDeps {
  readonly hub: PacketHub;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
}

interface PacketsOf {
  readonly symbol: string;
  readonly view: PacketView;
  readonly batchBytesMax: number;
  readonly lost: RingReading['lost'];
}

/** A received packet, a window end, or null for the next packet. */
type PacketStart = StreamPosition | { readonly afterWindowEndMs: number } | null;

/** Queries labeling if no packet was pushed yet. */
async function ringOf({ hub, packets }: PacketReaderDeps, symbol: string, view: PacketView): Promise<Ring> {
  if (hub.ring(symbol, view) === null) {
    const { packet } = await packets.call.getLatestPacket({ symbol, asOfMs: 0 });
    if (packet !== undefined) hub.take(packet);
  }
  const ring = hub.ring(symbol, view);
  if (ring === null) throw unavailable('upstream_unavailable', 'No packet is available.');
  return ring;
}

async function* storedThenRing(
  hub: PacketHub,
  { symbol, view, batchBytesMax, lost }: PacketsOf,
  ring: Ring,
  start: StreamPosition,
  signal: AbortSignal,
): Batches {
  const maker = createBatchMaker(batchBytesMax);
  let position = start;
  while (!hasRowsOf(position, ring.tail()) && !signal.aborted) {
    const before = position;
    for await (const record of hub.stored(symbol, position.windowEndMs, signal)) {
      const rendered = packetFrame(record, view);
      position = advance(position, rendered);
      maker.add({ rendered, position });
      if (maker.isFull()) yield maker.make(position);
      if (hasRowsOf(position, ring.tail())) break;
    }
    if (!maker.isEmpty()) yield maker.make(position);
    if (position === before) throw unavailable('upstream_unavailable', 'Stored packets end before the pushed ones.');
  }
  yield* readRing({ ring, channels: PACKETS, withPackets: true, lost, batchBytesMax }, position, signal);
}

async function startOf(hub: PacketHub, symbol: string, ring: Ring, from: PacketStart): Promise<StreamPosition> {
  if (from === null) return ring.head();
  if ('afterWindowEndMs' in from) return (await hub.positionAfter(symbol, from.afterWindowEndMs)) ?? ring.head();
  if (from.epoch !== 0 || from.gapsSent > 0 || from.packetSent) throw refuseId(`is not the id of a packet of ${symbol}`);
  const head = ring.head();
  if (from.ordinal > head.ordinal || from.windowEndMs > head.windowEndMs) throw refuseId(`names a position that ${symbol} has not reached`);
  if (!hasRowsOf(from, ring.tail())) {
    const record = await hub.require(symbol, from.windowEndMs);
    if (record.sequence !== from.ordinal) throw refuseId(`is not the id of a packet of ${symbol}`);
  }
  return from;
}

async function openPacketReader(deps: PacketReaderDeps, wanted: PacketsOf, from: PacketStart): Promise<SymbolReader> {
  const { hub } = deps;
  const { symbol, view } = wanted;
  const ring = await ringOf(deps, symbol, view);
  const start = await startOf(hub, symbol, ring, from);
  return {
    symbol,
    start,
    batches: (signal) => storedThenRing(hub, wanted, ring, start, signal),
    feedClockMs: () => hub.newestMs(symbol),
    sourceKind: () => fromProtoSourceKind(hub.sourceKind(symbol)),
    close: () => undefined,
  };
}

interface PacketStream {
  /** Null for every current or future symbol with packets. */
  readonly symbols: readonly string[] | null;
  readonly view: PacketView;
}

async function openPacketStream(deps: PacketReaderDeps, { symbols, view }: PacketStream, after: LastEventId | null): Promise<StreamSource> {
  const { hub } = deps;
  const [only, ...further] = symbols ?? [];
  if (only !== undefined && further.length === 0)
    return oneSymbol(
      await openPacketReader(deps, { symbol: only, view, batchBytesMax: batchBytesOf(1), lost: hub.lost([only]) }, positionIn(after, only)),
    );

  const positions = positionsIn(after, symbols);
  const names = symbols ?? (await followed(deps, positions));
  const batchBytesMax = batchBytesOf(names.length);
  // Lost only when every symbol is.
  const lost = hub.lost(symbols);
  const open = (symbol: string, from: PacketStart): Promise<SymbolReader> =>
    openPacketReader(deps, { symbol, view, batchBytesMax, lost }, from);
  const rest = restOf(positions);
  const readers = await openSymbols(names, positions, (symbol) => open(symbol, positions.get(symbol) ?? rest));
  if (symbols !== null) return severalSymbols(readers);
  const afterWindowEndMs = Math.max(...readers.map(({ start }) => start.windowEndMs));
  return severalSymbols(
    readers,
    joiningOf(hub, names, (symbol) => open(symbol, rest ?? { afterWindowEndMs })),
  );
}

/** New symbols start after the id's newest window, so that none of their later packets is missed. */
function restOf(positions: Positions): PacketStart {
  return positions.size === 0 ? null : { afterWindowEndMs: Math.max(...[...positions.values()].map(({ windowEndMs }) => windowEndMs)) };
}

/** For `ALL`: includes those of the id that are still served. */
async function followed({ hub, packets }: PacketReaderDeps, positions: Positions): Promise<string[]> {
  const pushed = new Set(hub.symbols());
  const silent = [...positions.keys()].filter((symbol) => !pushed.has(symbol));
  const served = await Promise.all(silent.map((symbol) => isServed(packets, symbol)));
  const names = [...pushed, ...silent.filter((_symbol, at) => served[at])].sort();
  if (names.length === 0) throw unavailable('upstream_unavailable', 'No packet is available.');
  return names;
}

async function isServed(packets: PacketReaderDeps['packets'], symbol: string): Promise<boolean> {
  try {
    await packets.call.getLatestPacket({ symbol, asOfMs: 0 });
    return true;
  } catch (error) {
    if (isServiceError(error) && error.reason === 'unknown_symbol') return false;
    throw error;
  }
}

function joiningOf(hub: PacketReaderDeps['hub'], names: readonly string[], open: (symbol: string) => Promise<SymbolReader>): Joining {
  const known = new Set(names);
  return {
    start(onReader) {
      const join = (symbol: string): void => {
        if (known.has(symbol)) return;
        known.add(symbol);
        onReader(open(symbol));
      };
      hub.symbols().forEach(join);
      return hub.onSymbol(join);
    },
  };
}

export function streamPackets(streams: Pick<OpenStreams, 'admit'>, deps: PacketReaderDeps): Handler<'streamPackets'> {
  return ({ input, grant }) => {
    const after = readLastEventId(input.headers['last-event-id']);
    const { symbol, view } = input.query;
    const wanted = { symbols: symbol === 'ALL' ? null : readSymbolList(symbol), view };
    return streams.admit(grant, 'live', () => openPacketStream(deps, wanted, after));
  };
}
