import type { labeling } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import type { PacketView } from '../serving/answers/packet-answer';
import { hasRowsOf, type StreamPosition, refuseId } from './position';
import { advance } from './advance';
import { type Batches, createBatchMaker } from './batch';
import type { PacketHub } from './packet-hub';
import { readRing, type RingReading } from './read-ring';
import { packetFrame } from './render-frames';
import type { Ring } from './ring';
import type { SymbolReader } from './symbol-reader';

const PACKETS = new Set(['packets'] as const);

export interface PacketReaderDeps {
  readonly hub: PacketHub;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
}

/** What a reader wants of one symbol. */
export interface PacketsOf {
  readonly symbol: string;
  readonly view: PacketView;
  readonly batchBytesMax: number;
  /** Whether the whole stream, of this symbol and perhaps others, is lost. */
  readonly lost: RingReading['lost'];
}

/** Where a reader begins: after a packet that it had, after the window that ends at an instant (milliseconds), or with the next packet. */
export type PacketStart = StreamPosition | { readonly afterWindowEndMs: number } | null;

/** The ring of a symbol; labeling is asked where none of its packets was pushed yet. Throws its ServiceError. */
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
    if (position === before) throw unavailable('upstream_unavailable', 'Stored packets end before those that were pushed.');
  }
  yield* readRing({ ring, channels: PACKETS, withPackets: true, lost, batchBytesMax }, position, signal);
}

async function startOf(hub: PacketHub, symbol: string, ring: Ring, from: PacketStart): Promise<StreamPosition> {
  if (from === null) return ring.head();
  if ('afterWindowEndMs' in from) return (await hub.placeAfter(symbol, from.afterWindowEndMs)) ?? ring.head();
  if (from.epoch !== 0 || from.gapsSent > 0 || from.packetSent || from.ordinal > ring.head().ordinal)
    throw refuseId(`is not the id of a packet of ${symbol}`);
  if (!hasRowsOf(from, ring.tail())) {
    const record = await hub.require(symbol, from.windowEndMs);
    if (record.sequence !== from.ordinal) throw refuseId(`is not the id of a packet of ${symbol}`);
  }
  return from;
}

/** Packets of a symbol as they are made. Everything that can be refused is refused here. */
export async function openPacketReader(deps: PacketReaderDeps, wanted: PacketsOf, from: PacketStart): Promise<SymbolReader> {
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
