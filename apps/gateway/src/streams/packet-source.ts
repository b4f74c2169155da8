import type { labeling } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import type { PacketView } from '../serving/answers/compact-row';
import { advance } from './advance';
import { frameBytes } from './frame';
import { refuseId } from './last-event-id';
import type { PacketHub } from './packet-hub';
import { createPieceMaker } from './piece-maker';
import { hasRowsOf, type StreamPosition } from '../serving/handlers/stream-position';
import { readRing } from './read-ring';
import { packetFrame } from './render-frames';
import type { Ring } from './ring';
import type { Piece, StreamSource } from '../serving/handlers/source';

const PACKETS = new Set(['packets'] as const);

export interface PacketSourceDeps {
  readonly hub: PacketHub;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
}

/** The packets that a reader asked for. */
export interface PacketStream {
  readonly symbol: string;
  readonly view: PacketView;
}

/** The ring of a symbol; labeling is asked where none of its packets was pushed yet. Throws its ServiceError. */
async function ringOf({ hub, packets }: PacketSourceDeps, symbol: string, view: PacketView): Promise<Ring> {
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
  { symbol, view }: PacketStream,
  ring: Ring,
  start: StreamPosition,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, undefined> {
  const maker = createPieceMaker();
  let position = start;
  while (!hasRowsOf(position, ring.tail()) && !signal.aborted) {
    const before = position;
    for await (const record of hub.stored(symbol, position.windowEndMs, signal)) {
      const frame = packetFrame(record, view);
      position = advance(position, frame);
      maker.add(frameBytes(frame, position));
      if (maker.isFull()) yield maker.make(position);
      if (hasRowsOf(position, ring.tail())) break;
    }
    if (!maker.isEmpty()) yield maker.make(position);
    if (position === before) throw unavailable('upstream_unavailable', 'Stored packets end before those that were pushed.');
  }
  yield* readRing({ ring, channels: PACKETS, withPackets: true, lost: hub.lost() }, position, signal);
}

/** Packets of a symbol as they are made, after the reader's last one or from now on. */
export async function openPacketSource(deps: PacketSourceDeps, stream: PacketStream, after: StreamPosition | null): Promise<StreamSource> {
  const { hub } = deps;
  const { symbol } = stream;
  const ring = await ringOf(deps, symbol, stream.view);
  const start = after ?? ring.head();
  if (start.epoch !== 0 || start.gapsSent > 0 || start.packetSent || start.ordinal > ring.head().ordinal)
    throw refuseId('is not the id of a packet of this symbol');
  if (!hasRowsOf(start, ring.tail())) {
    const record = await hub.require(symbol, start.windowEndMs);
    if (record.sequence !== start.ordinal) throw refuseId('is not the id of a packet of this symbol');
  }
  return {
    heartbeatFirst: true,
    start,
    pieces: (signal) => storedThenRing(hub, stream, ring, start, signal),
    feedClockMs: () => hub.newestMs(symbol),
    sourceKind: () => fromProtoSourceKind(hub.sourceKind(symbol)),
    close: () => undefined,
  };
}
