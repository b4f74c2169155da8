import type { labeling, marketData } from '@market-state/contracts';
import { advance, isBeyond } from './advance';
import { type Batch, type Batches, createBatchMaker } from './batch';
import type { Frame } from './frame';
import { createGapNumbers } from './number-gaps';
import type { PacketHub } from './packet-hub';
import { hasRowsOf, type StreamPosition } from './position';
import { isWanted, readRing, type RingReading } from './read-ring';
import { gapFrame, packetRow, rowFrame } from './render-frames';

export interface CatchUp {
  readonly symbol: string;
  readonly reading: RingReading;
  /** Rows after the reader's position, opened already; null when the ring holds them all. */
  readonly rows: AsyncGenerator<marketData.StreamRowsResponse> | null;
  readonly packets: PacketHub;
}

/** A stored row is taken by intervals as the feed received it. */
function storedFrame(row: marketData.DataRow): Frame {
  return rowFrame(row, row.receivedTsMs);
}

/** Stored packets one by one; asks anew when more were made since. */
function createPacketCursor({ symbol, packets }: CatchUp, signal: AbortSignal) {
  let page: AsyncGenerator<labeling.PacketRecord> | null = null;
  let next: labeling.PacketRecord | undefined;
  return {
    /** The packet after a window end; undefined when there is none yet. */
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
 * Rows and packets from before the ring, read from where they are stored, until the reader has reached the oldest message
 * of the ring; then the ring. A packet stands after the row that closed its window.
 */
export async function* catchUp(from: CatchUp, start: StreamPosition, signal: AbortSignal): Batches<Frame> {
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

  /** Packets whose windows closed before a row, or all that are missing before the ring. */
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
