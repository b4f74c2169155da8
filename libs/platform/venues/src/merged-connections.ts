import type { OpenConnection } from './open-connection';
import type { ConnectionCounts, MessageBatch } from './venue-source';

interface Turn {
  readonly batch: MessageBatch | undefined;
  readonly taken: () => void;
}

/** The sockets are one connection: it ends with the first of them. */
export async function* mergedMessages(connections: readonly OpenConnection[]): AsyncGenerator<MessageBatch> {
  const turns: Turn[] = [];
  const state: { failure?: { readonly error: unknown }; wake?: () => void; isOver: boolean } = { isOver: false };

  /** One batch at a time, so that backpressure reaches the socket's queue. */
  async function pump(connection: OpenConnection): Promise<void> {
    try {
      for await (const batch of connection.messages()) {
        await new Promise<void>((taken) => offer({ batch, taken }));
        if (state.isOver) return;
      }
      offer({ batch: undefined, taken: () => undefined });
    } catch (error) {
      state.failure ??= { error };
      state.wake?.();
    }
  }

  function offer(turn: Turn): void {
    turns.push(turn);
    state.wake?.();
  }

  for (const connection of connections) void pump(connection);
  try {
    for (;;) {
      const turn = turns.shift();
      if (turn !== undefined) {
        if (turn.batch === undefined) return;
        yield turn.batch;
        turn.taken();
      } else if (state.failure !== undefined) throw state.failure.error;
      else await new Promise<void>((resolve) => (state.wake = resolve));
    }
  } finally {
    state.isOver = true;
    for (const { taken } of turns) taken();
  }
}

export function mergedCounts(connections: readonly OpenConnection[]): ConnectionCounts {
  const sum = (of: keyof ConnectionCounts): number => connections.reduce((total, { counts }) => total + counts[of], 0);
  return { received: sum('received'), oversizedFrames: sum('oversizedFrames'), collapsedBooks: sum('collapsedBooks') };
}
