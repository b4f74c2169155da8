import type { ChannelName } from '../clients/channel-name';
import { advance, isBeyond } from './advance';
import { type Frame, frameBytes } from './frame';
import { createPieceMaker } from './piece-maker';
import { laterOf, type Place } from '../serving/handlers/place';
import { count, type Ring } from './ring';
import { renderSkipped, skippedOf } from './skipped';
import type { Piece } from '../serving/handlers/source';

export interface RingReading {
  readonly ring: Ring;
  readonly channels: ReadonlySet<ChannelName>;
  /** Whether packets move the reader's place. */
  readonly withPackets: boolean;
  /** Aborts when nothing more will come, with a ServiceError. */
  readonly lost: AbortSignal;
}

/** Whether a reader of these channels is sent a message: a gap of every channel goes to all. */
export function isWanted(frame: Frame, channels: ReadonlySet<ChannelName>): boolean {
  return frame.channel === null ? frame.kind === 'gap' : channels.has(frame.channel);
}

/**
 * What a ring holds after a place and whatever comes, as fast as it is taken. A reader whose next message was dropped
 * meanwhile is told what it missed and goes on with the oldest that is held. Throws when the ring's source is lost.
 */
export async function* readRing(
  { ring, channels, withPackets, lost }: RingReading,
  from: Place,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, undefined> {
  let place = from;
  let entry = ring.enter(place);
  let had: Record<string, number> = { ...entry.had };
  let { index } = entry;
  const maker = createPieceMaker();

  function skipDropped(): Piece | null {
    const tail = laterOf(place, ring.tail());
    const to = withPackets ? tail : { ...tail, windowEndMs: place.windowEndMs };
    const skipped = skippedOf(place, to, ring.dropped(), had, channels);
    place = to;
    entry = ring.enter(place);
    had = { ...entry.had };
    ({ index } = entry);
    return skipped === null
      ? null
      : { bytes: renderSkipped(skipped), place, messageTotal: 1, skippedTotal: skipped.rowTotal + skipped.gapTotal };
  }

  function collect(): void {
    for (; !maker.isFull(); index += 1) {
      const frame = ring.at(index);
      if (frame === undefined) return;
      if (!isBeyond(frame, place)) continue;
      count(had, frame);
      if (frame.kind === 'packet' && !withPackets) continue;
      place = advance(place, frame);
      if (isWanted(frame, channels)) maker.add(frameBytes(frame, place));
    }
  }

  signal.addEventListener('abort', () => ring.wake(), { once: true });
  while (!signal.aborted) {
    if (index < ring.tailIndex()) {
      const told = skipDropped();
      if (told !== null) yield told;
    } else if (index < ring.headIndex()) {
      collect();
      yield maker.make(place);
    } else {
      if (lost.aborted) throw lost.reason;
      await ring.changed();
    }
  }
}
