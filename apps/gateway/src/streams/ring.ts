import { advance, isBeyond } from './advance';
import type { Frame } from './frame';
import type { StreamPosition } from './position';

/** Messages by what they hold: `book` are rows of that channel, `gap:book` its gaps, `gap:` those of every channel. Absent: none. */
export type Tally = Readonly<Record<string, number>>;

export interface RingLimits {
  readonly framesMax: number;
  readonly bytesMax: number;
}

/** Where a reader is to go on in a ring, and how many messages of each kind that the ring ever held it has had. */
export interface RingEntry {
  readonly index: number;
  readonly had: Tally;
}

/** The newest messages of one symbol, rendered once for every reader. */
export interface Ring {
  /** Adds a message, drops the oldest beyond the limits and wakes the readers. */
  push(frame: Frame): void;
  /** The message with this running number; undefined when it was dropped or has not come. */
  at(index: number): Frame | undefined;
  /** Running number of the oldest message held, and of the next to come. */
  tailIndex(): number;
  headIndex(): number;
  /** Where a reader stands before the oldest message held, and after the newest. */
  tail(): StreamPosition;
  head(): StreamPosition;
  /** How many messages of each kind were dropped. */
  dropped(): Tally;
  enter(position: StreamPosition): RingEntry;
  /** Resolves at the next push or `wake`. */
  changed(): Promise<void>;
  wake(): void;
  sizeBytes(): number;
}

/** What a message counts as in a tally. */
function tallyName(frame: Frame): string {
  return frame.kind === 'gap' ? `gap:${frame.channel ?? ''}` : (frame.channel ?? '');
}

/** Counts one more message. */
export function count(tally: Record<string, number>, frame: Frame): void {
  const name = tallyName(frame);
  tally[name] = (tally[name] ?? 0) + 1;
}

/** A ring that begins at `start`. */
export function createRing(start: StreamPosition, { framesMax, bytesMax }: RingLimits): Ring {
  const frames = new Map<number, Frame>();
  const dropped: Record<string, number> = {};
  let tailIndex = 0;
  let headIndex = 0;
  let tail = start;
  let head = start;
  let sizeBytes = 0;
  let wakeAll = (): void => undefined;
  let change: Promise<void> | undefined;

  function wake(): void {
    change = undefined;
    wakeAll();
    wakeAll = () => undefined;
  }

  function dropOldest(): void {
    const oldest = frames.get(tailIndex);
    if (oldest === undefined) return;
    frames.delete(tailIndex);
    tailIndex += 1;
    tail = advance(tail, oldest);
    sizeBytes -= oldest.bytes.length;
    count(dropped, oldest);
  }

  return {
    push(frame) {
      frames.set(headIndex, frame);
      headIndex += 1;
      head = advance(head, frame);
      sizeBytes += frame.bytes.length;
      while (frames.size > framesMax || (sizeBytes > bytesMax && frames.size > 1)) dropOldest();
      wake();
    },
    at: (index) => frames.get(index),
    tailIndex: () => tailIndex,
    headIndex: () => headIndex,
    tail: () => tail,
    head: () => head,
    dropped: () => ({ ...dropped }),
    enter(position) {
      const had: Record<string, number> = { ...dropped };
      let index = headIndex;
      for (let at = headIndex - 1; at >= tailIndex; at -= 1) {
        const frame = frames.get(at);
        if (frame === undefined) continue;
        if (isBeyond(frame, position)) index = at;
        else count(had, frame);
      }
      return { index, had };
    },
    changed() {
      change ??= new Promise((resolve) => {
        wakeAll = resolve;
      });
      return change;
    },
    wake,
    sizeBytes: () => sizeBytes,
  };
}
