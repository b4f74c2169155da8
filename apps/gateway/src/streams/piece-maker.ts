import { STREAM_LIMITS } from './limits';
import type { StreamPosition } from '../serving/handlers/stream-position';
import type { Piece } from '../serving/handlers/source';

/** Collects messages up to the size of one write. */
export function createPieceMaker() {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  let messageTotal = 0;
  return {
    add(buffers: readonly Buffer[]): void {
      pieces.push(...buffers);
      for (const buffer of buffers) sizeBytes += buffer.length;
      messageTotal += 1;
    },
    isFull: () => sizeBytes >= STREAM_LIMITS.pieceBytesMax,
    isEmpty: () => messageTotal === 0,
    make(position: StreamPosition): Piece {
      const piece: Piece = {
        bytes: pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces),
        position,
        messageTotal,
        skippedTotal: 0,
      };
      pieces = [];
      sizeBytes = 0;
      messageTotal = 0;
      return piece;
    },
  };
}
