import type { OpenConnection } from '../open-connection';
import type { ConnectionCounts, MessageBatch } from '../venue-source';

interface Turn {
  readonly reader: AsyncIterator<MessageBatch>;
  readonly next: IteratorResult<MessageBatch>;
}

/** The messages of several sockets as they come; the end of one is the end of all. Throws what the first that is lost throws. */
export async function* mergedMessages(connections: readonly OpenConnection[]): AsyncGenerator<MessageBatch> {
  const waiting = new Map<AsyncIterator<MessageBatch>, Promise<Turn>>();
  const read = (reader: AsyncIterator<MessageBatch>): void => {
    const turn = reader.next().then((next) => ({ reader, next }));
    turn.catch(() => undefined);
    waiting.set(reader, turn);
  };
  for (const connection of connections) read(connection.messages());
  for (;;) {
    const { reader, next } = await Promise.race(waiting.values());
    if (next.done === true) return;
    read(reader);
    yield next.value;
  }
}

/** Counts of all of them together. */
export function mergedCounts(connections: readonly OpenConnection[]): ConnectionCounts {
  const sum = (of: keyof ConnectionCounts): number => connections.reduce((total, { counts }) => total + counts[of], 0);
  return { received: sum('received'), oversizedFrames: sum('oversizedFrames'), collapsedBooks: sum('collapsedBooks') };
}
