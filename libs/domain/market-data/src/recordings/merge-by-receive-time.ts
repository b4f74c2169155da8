import type { Received } from './play-messages';

type Batch<Message> = readonly (Received<Message> | undefined)[];

/** Messages in one merged batch at most. */
const BATCH_MAX = 1_024;

/** A source and what is left of its current batch. */
interface Cursor<Message> {
  readonly iterator: AsyncIterator<Batch<Message>>;
  batch: Batch<Message>;
  next: number;
}

/**
 * Merges sources by receive time, each in its own order; of equal times the earlier source comes first. An undefined message
 * comes as soon as it is met. One batch of each source is held.
 */
export async function* mergeByReceiveTime<Message>(sources: readonly AsyncIterable<Batch<Message>>[]): AsyncGenerator<Batch<Message>> {
  const all = sources.map((source): Cursor<Message> => ({ iterator: source[Symbol.asyncIterator](), batch: [], next: 0 }));
  try {
    let open: readonly Cursor<Message>[] = await refill(all);
    while (open.length > 0) {
      const merged: (Received<Message> | undefined)[] = [];
      while (merged.length < BATCH_MAX && open.every(({ batch, next }) => next < batch.length)) {
        const cursor = earliest(open);
        if (cursor === undefined) break;
        merged.push(cursor.batch[cursor.next++]);
      }
      yield merged;
      open = await refill(open);
    }
  } finally {
    for (const { iterator } of all) await iterator.return?.();
  }
}

/** The cursors that still have a message, each with one at hand. */
async function refill<Message>(cursors: readonly Cursor<Message>[]): Promise<readonly Cursor<Message>[]> {
  const open: Cursor<Message>[] = [];
  for (const cursor of cursors) {
    while (cursor.next >= cursor.batch.length) {
      const next = await cursor.iterator.next();
      if (next.done === true) break;
      cursor.batch = next.value;
      cursor.next = 0;
    }
    if (cursor.next < cursor.batch.length) open.push(cursor);
  }
  return open;
}

function earliest<Message>(cursors: readonly Cursor<Message>[]): Cursor<Message> | undefined {
  let first: Cursor<Message> | undefined;
  let firstMs = Number.POSITIVE_INFINITY;
  for (const cursor of cursors) {
    const receivedMs = cursor.batch[cursor.next]?.receivedMs ?? Number.NEGATIVE_INFINITY;
    if (first === undefined || receivedMs < firstMs) {
      first = cursor;
      firstMs = receivedMs;
    }
  }
  return first;
}
