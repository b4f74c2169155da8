import type { PlacedEvent } from '../log-writer';
import { type PassPlace, PassPlayer } from '../pass-player';
import type { RejectionCounts } from '../rejections';
import { type Batch, isBelievable, type NormalizerOf } from './play-messages';

/** A pass of a recording, played as its events are read. */
export interface PlayedPass {
  readonly events: AsyncGenerator<readonly PlacedEvent[]>;
  /** Counts of what was rejected up to where `events` was read. */
  readonly rejections: () => Readonly<RejectionCounts>;
}

/** Plays the messages of a recording as one pass at its place. @throws RangeError when the shift is not a multiple of 10 s. */
export function playPass<Message>(
  batches: AsyncIterable<Batch<Message>>,
  place: PassPlace,
  normalizerOf: NormalizerOf<Message>,
): PlayedPass {
  const player = new PassPlayer(place, normalizerOf);

  async function* play(): AsyncGenerator<readonly PlacedEvent[]> {
    yield player.start();
    for await (const batch of batches) {
      const events: PlacedEvent[] = [];
      for (const received of batch) {
        if (received === undefined) player.refuse('broken_line');
        else if (!isBelievable(received.receivedMs, player.clockMs)) player.refuse('future_time');
        else for (const event of player.accept(received.receivedMs, received.message)) events.push(event);
      }
      yield events;
    }
    yield player.finish();
  }

  return { events: play(), rejections: () => player.rejections };
}
