import type { marketData } from '@market-state/contracts';
import { isBeyond } from './advance';
import type { Frame } from './frame';
import { createGapNumbers } from './number-gaps';
import { gapFrame, rowFrame } from './render-frames';
import type { StreamPosition } from './position';

/** Before everything. */
const BEGINNING: StreamPosition = { epoch: 0, ordinal: 0, windowEndMs: 0, gapsSent: 0, packetSent: false };

/** In a replay everything stands in the order of the log: a packet right after the row that closed its window. */
function advanceInLog(position: StreamPosition, frame: Frame): StreamPosition {
  const { epoch, ordinal, windowEndMs } = frame;
  const gapsSent = position.ordinal === ordinal ? position.gapsSent : 0;
  switch (frame.kind) {
    case 'row':
      return { epoch, ordinal, windowEndMs: position.windowEndMs, gapsSent: 0, packetSent: false };
    case 'gap':
      return { epoch, ordinal, windowEndMs: position.windowEndMs, gapsSent: frame.gapNumber, packetSent: false };
    case 'packet':
      // The live stream had sent rows behind it, but not the packet: it was not made yet.
      if (ordinal < position.ordinal) return { ...position, windowEndMs };
      return { epoch, ordinal, windowEndMs, gapsSent, packetSent: true };
  }
}

/** How far the reader of a replay has come in one symbol. */
export interface ReplayedSymbol {
  readonly symbol: string;
  position(): StreamPosition;
  /** Where the data plane goes on: it tells the gaps of the row again, and those had are left out here. Undefined: from the start. */
  logPosition(): marketData.LogPosition | undefined;
  /** The message of a row; null where the reader has had it: live, a packet is sent when it is made, out of its place. */
  takeRow(row: marketData.DataRow): Frame | null;
  /** The same of a gap that stands after a row. */
  takeGap(gap: marketData.Gap): Frame | null;
  /** A new connection begins. */
  restart(): void;
}

export function createReplayedSymbol(symbol: string, after: StreamPosition | null): ReplayedSymbol {
  const gaps = createGapNumbers();
  let position = after ?? BEGINNING;

  function take(frame: Frame): Frame | null {
    if (!isBeyond(frame, position)) return null;
    position = advanceInLog(position, frame);
    return frame;
  }

  return {
    symbol,
    position: () => position,
    logPosition() {
      const { epoch, ordinal, windowEndMs } = position;
      return position === BEGINNING ? undefined : { epoch, ordinal, packetWindowEndMs: windowEndMs };
    },
    takeRow: (row) => take(rowFrame(row, row.receivedTsMs)),
    takeGap: (gap) => take(gapFrame(gap, gaps.next(gap, position))),
    restart: () => gaps.restart(),
  };
}
