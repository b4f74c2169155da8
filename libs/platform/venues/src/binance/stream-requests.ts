import type { OpenConnection } from '../open-connection';
import { VenueError } from '../venue-error';
import type { MissingInstruments } from '../venue-source';
import { streamName } from './envelope';
import { type BinanceMarket, MARKET_ROUTES } from './market';

const SUBSCRIBED_WITHIN_MS = 10_000;

/** Requests on the sockets of one connection. */
export interface StreamRequests {
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
