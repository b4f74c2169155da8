import { STREAM_LIMITS } from './limits';
import type { Piece } from '../serving/answers/handler';

/** Collects messages up to the size of one write. */
export function createPieceMaker() {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  let messageTotal = 0;
  let skippedTotal = 0;
  return {
    add(buffers: readonly Buffer[]): void {
      for (const buffer of buffers) {
        pieces.push(buffer);
        sizeBytes += buffer.length;
      }
      messageTotal += 1;
    },
    /** Counts rows and gaps that a message says were missed. */
    skip(total: number): void {
      skippedTotal += total;
    },
    isFull: () => sizeBytes >= STREAM_LIMITS.pieceBytesMax,
    isEmpty: () => messageTotal === 0,
    make(id: string | null): Piece {
      const piece: Piece = {
        bytes: pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces),
        id,
        messageTotal,
        skippedTotal,
      };
      pieces = [];
      sizeBytes = 0;
      messageTotal = 0;
      skippedTotal = 0;
      return piece;
    },
  };
}
