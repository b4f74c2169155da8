import type { StreamPosition } from './position';
import type { Rendered } from './frame';
import type { Skipped } from './skipped';

/** A message on its way to a reader. */
export interface Message<Content extends Rendered = Rendered> {
  readonly rendered: Content;
  /** Where the reader of its symbol is once it has the message. */
  readonly position: StreamPosition;
}

/** What comes next in one symbol: messages, or what the reader missed of it. */
export interface Batch<Content extends Rendered = Rendered> {
  /** Empty when only the position moved. */
  readonly messages: readonly Message<Content>[];
  readonly position: StreamPosition;
  readonly skipped: Skipped | null;
}

export type Batches<Content extends Rendered = Rendered> = AsyncGenerator<Batch<Content>, void, undefined>;

/** Collects messages of one symbol up to a size. */
export function createBatchMaker<Content extends Rendered = Rendered>(bytesMax: number) {
  let messages: Message<Content>[] = [];
  let sizeBytes = 0;
  return {
    add(message: Message<Content>): void {
      messages.push(message);
      sizeBytes += message.rendered.bytes.length;
    },
    isFull: () => sizeBytes >= bytesMax,
    isEmpty: () => messages.length === 0,
    make(position: StreamPosition): Batch<Content> {
      const batch = { messages, position, skipped: null };
      messages = [];
      sizeBytes = 0;
      return batch;
    },
  };
}
