import type { marketData } from '@market-state/contracts';
import { rowText } from './window-fixture';

type Frame = NonNullable<marketData.StreamReplayResponse['frame'] | marketData.StreamRowsResponse['frame']>;

/** Comparable text of a row or gap, and the position after it. */
export interface Piece {
  readonly text: string;
  readonly place: marketData.LogPosition;
}

/** Rows and gaps of a frame; empty for other frames. */
export function piecesOf(frame: Frame | undefined): Piece[] {
  switch (frame?.$case) {
    case 'rows':
      return frame.value.rows.map((row) => ({
        text: rowText(row),
        place: { epoch: row.epoch, ordinal: row.sequence, packetWindowEndMs: row.packetWindowEndMs },
      }));
    case 'gap':
      return [{ text: JSON.stringify(frame.value), place: frame.value.place ?? { epoch: 0, ordinal: 0, packetWindowEndMs: 0 } }];
    default:
      return [];
  }
}

/** Up to `total` pieces of a stream. */
export async function takePieces(frames: AsyncIterable<{ frame?: Frame | undefined }>, total: number): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const { frame } of frames) {
    pieces.push(...piecesOf(frame));
    if (pieces.length >= total) break;
  }
  return pieces.slice(0, total);
}
