import type { Frame } from './frame';
import { hasGap, type Place } from '../serving/handlers/place';

/** Whether a reader at `place` has not had this message yet. */
export function isBeyond(frame: Frame, place: Place): boolean {
  switch (frame.kind) {
    case 'row':
      return frame.ordinal > place.ordinal;
    case 'gap':
      return !hasGap(place, frame.ordinal, frame.gapNumber);
    case 'packet':
      return frame.windowEndMs > place.windowEndMs;
  }
}

/** Where a reader stands once it has had this message, too. */
export function advance(place: Place, frame: Frame): Place {
  switch (frame.kind) {
    case 'row':
      return {
        epoch: frame.epoch,
        ordinal: frame.ordinal,
        windowEndMs: Math.max(place.windowEndMs, frame.windowEndMs),
        gapsTold: 0,
        packetTold: false,
      };
    case 'gap':
      return { ...place, epoch: frame.epoch, ordinal: frame.ordinal, gapsTold: frame.gapNumber };
    case 'packet':
      return { ...place, windowEndMs: frame.windowEndMs };
  }
}
