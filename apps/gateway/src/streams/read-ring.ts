import type { ChannelName } from '../clients/channel-name';
import { advance, isBeyond } from './advance';
import { type Batch, type Batches, createBatchMaker } from './batch';
import type { Frame } from './frame';
import { laterOf, type StreamPosition } from './position';
import { count, type Ring } from './ring';
import { skippedOf } from './skipped';

export interface RingReading {
  readonly ring: Ring;
  readonly channels: ReadonlySet<ChannelName>;
  /** Whether packets move the reader's position. */
  readonly withPackets: boolean;
  /** Whether nothing more will come; the reason is a ServiceError. */
  readonly lost: Pick<AbortSignal, 'aborted' | 'reason'>;
  /** Size of a batch. */
  readonly batchBytesMax: number;
}

/** Whether a reader of these channels is sent a message: a gap of every channel goes to all. */
export function isWanted(frame: Frame, channels: ReadonlySet<ChannelName>): boolean {
  return frame.channel === null ? frame.kind === 'gap' : channels.has(frame.channel);
}

/**
 * What a ring holds after a position and whatever comes, as fast as it is taken. A reader whose next message was dropped
 * meanwhile is told what it missed and goes on with the oldest that is held. Throws when the ring's source is lost.
 */
export async function* readRing(
  { ring, channels, withPackets, lost, batchBytesMax }: RingReading,
  from: StreamPosition,
  signal: AbortSignal,
): Batches<Frame> {
  let position = from;
  let entry = ring.enter(position);
  let had: Record<string, number> = { ...entry.had };
  let { index } = entry;
  const maker = createBatchMaker<Frame>(batchBytesMax);

  function skipDropped(): Batch<Frame> | null {
    const tail = laterOf(position, ring.tail());
    const to = withPackets ? tail : { ...tail, windowEndMs: position.windowEndMs };
    const skipped = skippedOf(position, to, ring.dropped(), had, channels);
    position = to;
    entry = ring.enter(position);
    had = { ...entry.had };
    ({ index } = entry);
    return skipped === null ? null : { messages: [], position, skipped };
  }

  function collect(): void {
    for (; !maker.isFull(); index += 1) {
      const frame = ring.at(index);
      if (frame === undefined) return;
      if (!isBeyond(frame, position)) continue;
      count(had, frame);
      if (frame.kind === 'packet' && !withPackets) continue;
      position = advance(position, frame);
      if (isWanted(frame, channels)) maker.add({ rendered: frame, position });
    }
  }

  signal.addEventListener('abort', () => ring.wake(), { once: true });
  while (!signal.aborted) {
    if (index < ring.tailIndex()) {
      const told = skipDropped();
      if (told !== null) yield told;
    } else if (index < ring.headIndex()) {
      collect();
      yield maker.make(position);
    } else {
      if (lost.aborted) throw lost.reason;
      await ring.changed();
    }
  }
}
