import type { OpenConnection } from '../open-connection';
import { type ConnectionCounts, type MessageBatch, type MissingInstruments, VenueError } from '../venue-source';
import { type BinanceMarket, MARKET_ROUTES, streamName } from './market';

const SUBSCRIBED_WITHIN_MS = 10_000;

/** Requests on the sockets of one connection. */
interface StreamRequests {
  /**
   * Subscribes to all streams of the instruments with one request a socket: the venue ends a connection that sends many. Where it refuses
   * that, with one an instrument. Returns the refusals.
   * @throws VenueError `bad_answer` when the venue refuses the only instrument, or does not answer
   */
  subscribe(instruments: readonly string[]): Promise<MissingInstruments>;
  /** Ends an instrument's subscriptions and makes them again, without waiting for the answers. */
  repeat(instrument: string): void;
}

/** Requests of one connection. Every request of a socket has a number of its own. */
export function streamRequests(sockets: readonly OpenConnection[], market: BinanceMarket): StreamRequests {
  let lastId = 0;

  function requestsOf(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', instruments: readonly string[]) {
    lastId++;
    return sockets.map((socket, index) => {
      const streams = MARKET_ROUTES[market].sockets[index]?.streams ?? [];
      const params = instruments.flatMap((name) => streams.map((stream) => streamName(name, stream)));
      return { socket, id: lastId, text: JSON.stringify({ method, params, id: lastId }) };
    });
  }

  /** The venue's refusal; undefined where it has subscribed. */
  async function refusalOf(instruments: readonly string[]): Promise<string | undefined> {
    const answers = requestsOf('SUBSCRIBE', instruments).map(async ({ socket, id, text }) => {
      const answered = socket.frame((frame) => isAnswerTo(id, frame), SUBSCRIBED_WITHIN_MS);
      socket.send(text);
      return answered;
    });
    return (await Promise.all(answers)).find((answer) => !/"result":\s*null/.test(answer))?.slice(0, 200);
  }

  return {
    async subscribe(instruments) {
      const refusal = await refusalOf(instruments);
      if (refusal === undefined) return new Map();
      if (instruments.length === 1) throw new VenueError('bad_answer', `the venue refused the subscription: ${refusal}`);
      const refused = new Map<string, string>();
      for (const name of instruments) {
        const reason = await refusalOf([name]);
        if (reason !== undefined) refused.set(name, `the venue refuses ${name}: ${reason}`);
      }
      return refused;
    },
    repeat(instrument) {
      for (const method of ['UNSUBSCRIBE', 'SUBSCRIBE'] as const)
        for (const { socket, text } of requestsOf(method, [instrument])) socket.send(text);
    },
  };
}

/** The frame is no message of a stream, and has the number of the request. */
function isAnswerTo(id: number, frame: string): boolean {
  return frame.length < 1_000 && !frame.startsWith('{"stream"') && new RegExp(`"id":\\s*${id}\\b`).test(frame);
}

/** A batch from one socket, with a call back for when it was taken; or the end of the socket's messages. */
interface Turn {
  readonly batch: MessageBatch | undefined;
  readonly taken: () => void;
}

/** The messages of several sockets as they come; when one ends, all end. Throws the error of the first that is lost. */
export async function* mergedMessages(connections: readonly OpenConnection[]): AsyncGenerator<MessageBatch> {
  const turns: Turn[] = [];
  const state: { failure?: { readonly error: unknown }; wake?: () => void; isOver: boolean } = { isOver: false };

  /** Reads one socket, a batch at a time: the next is asked for when the last was taken, so that messages wait in the socket's queue. */
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

/** Counts of all of them together. */
export function mergedCounts(connections: readonly OpenConnection[]): ConnectionCounts {
  const sum = (of: keyof ConnectionCounts): number => connections.reduce((total, { counts }) => total + counts[of], 0);
  return { received: sum('received'), oversizedFrames: sum('oversizedFrames'), collapsedBooks: sum('collapsedBooks') };
}
