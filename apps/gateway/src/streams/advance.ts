import type { Frame } from './frame';
import { hasGap, type StreamPosition } from './position';

/** Whether a reader at `position` has not had this message yet. */
export function isBeyond(frame: Frame, position: StreamPosition): boolean {
  switch (frame.kind) {
    case 'row':
      return frame.ordinal > position.ordinal;
    case 'gap':
      return !hasGap(position, frame.ordinal, frame.gapNumber);
    case 'packet':
      return frame.windowEndMs > position.windowEndMs;
  }
}

/** Where a reader stands once it has had this message, too. */
export function advance(position: StreamPosition, frame: Frame): StreamPosition {
  switch (frame.kind) {
    case 'row':
      return {
        epoch: frame.epoch,
        ordinal: frame.ordinal,
        windowEndMs: Math.max(position.windowEndMs, frame.windowEndMs),
        gapsSent: 0,
        packetSent: false,
      };
    case 'gap':
      return { ...position, epoch: frame.epoch, ordinal: frame.ordinal, gapsSent: frame.gapNumber };
    case 'packet':
      return { ...position, windowEndMs: frame.windowEndMs };
  }
}
