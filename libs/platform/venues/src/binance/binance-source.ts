import { delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { ConnectionLimits } from '../limits';
import { type OpenConnection, openConnection } from '../open-connection';
import { systemClock, type VenueClock } from '../venue-clock';
import { VenueError } from '../venue-error';
import type { VenueConnection, VenueSource } from '../venue-source';
import { answerMessage, bookOf, streamName } from './envelope';
import { type BinanceMarket, MARKET_ROUTES, streamsOf } from './market';
import { mergedCounts, mergedMessages } from './merged-messages';
import { binanceRest } from './rest-routes';

/** The market and its addresses. */
export interface BinanceSourceOptions {
  readonly market: BinanceMarket;
  /** `wss://dstream.binance.com`, for one. */
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly logger: Logger;
  /** Waits; `delay` of the lifecycle library unless given. */
  readonly wait?: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** `systemClock` unless given. */
  readonly clock?: VenueClock;
  /** `CONNECTION_LIMITS` unless given. */
  readonly limits?: ConnectionLimits;
}

const SUBSCRIBED_WITHIN_MS = 10_000;
/** Open interest is on no stream; the venue updates it every few seconds. */
const OPEN_INTEREST_EVERY_MS = 10_000;

/**
 * Live messages of one of Binance's futures markets. Public endpoints: no key. The frames of the streams come as they are. REST answers
 * are inserted among them in the envelope of the streams: `@fundingInfo` of instruments with an interval of their own, `@openInterest`
 * every 10 s, `@depthSnapshot` after each `requestSnapshot`. The first message is `@subscribed` with the streams of each instrument.
 */
export function createBinanceSource(options: BinanceSourceOptions): VenueSource {
  const { market, wsUrl, restUrl, logger, wait = delay, clock = systemClock, limits } = options;
  const rest = binanceRest(market, restUrl);
  const routes = MARKET_ROUTES[market].sockets;

  async function subscribe(sockets: readonly OpenConnection[], instruments: readonly string[], signal: AbortSignal): Promise<void> {
    const [[first], known, funding] = [sockets, await rest.perpetuals(signal), await rest.changedFunding(signal)];
    const unknown = instruments.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new VenueError('unknown_instrument', `the venue has no perpetual ${unknown.join(', ')}; it has ${known.join(', ')}`);
    for (const name of instruments) {
      first?.deliver(answerMessage(name, 'subscribed', JSON.stringify({ streams: streamsOf(market) })));
      const entry = funding.get(name);
      if (entry !== undefined) first?.deliver(answerMessage(name, 'fundingInfo', entry));
    }
    await Promise.all(sockets.map((socket, index) => subscribeStreams(socket, routes[index]?.streams ?? [], instruments)));
    for (const name of instruments) void pollOpenInterest(name, (text) => first?.deliver(text), signal);
  }

  /** Never rejects: a request without an answer is logged, and made again at its time. */
  async function pollOpenInterest(instrument: string, deliver: (text: string) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const answer = await rest.openInterest(instrument, signal);
        if (!signal.aborted) deliver(answerMessage(instrument, 'openInterest', answer));
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error, instrument }, 'the venue did not tell its open interest');
      }
      await wait(OPEN_INTEREST_EVERY_MS, signal).catch(() => undefined);
    }
  }

  return {
    async connect(signal): Promise<VenueConnection> {
      const ended = new AbortController();
      const either = AbortSignal.any([signal, ended.signal]);
      const sockets = await openAll(
        routes.map(({ path }) => ({ url: new URL(path, wsUrl.endsWith('/') ? wsUrl : `${wsUrl}/`).href, clock, bookOf, limits })),
        signal,
      );
      return {
        subscribe: (instruments) => subscribe(sockets, instruments, either),
        messages: () => mergedMessages(sockets),
        async requestSnapshot(instrument) {
          const answer = await rest.depth(instrument, either);
          either.throwIfAborted();
          sockets[0]?.deliver(answerMessage(instrument, 'depthSnapshot', answer));
        },
        /** Requests nothing from the past: the funding in a mark price comes again within a second. */
        catchUp: () => Promise.resolve(),
        get counts() {
          return mergedCounts(sockets);
        },
        close() {
          ended.abort(new VenueError('connection_lost', 'the connection was closed'));
          for (const socket of sockets) socket.close();
        },
      };
    },
  };
}

/** All of them, or none. */
async function openAll(options: readonly Parameters<typeof openConnection>[0][], signal: AbortSignal): Promise<readonly OpenConnection[]> {
  const opened = await Promise.allSettled(options.map((one) => openConnection(one, signal)));
  const sockets = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = opened.find((result) => result.status === 'rejected');
  if (failed === undefined) return sockets;
  for (const socket of sockets) socket.close();
  throw failed.reason;
}

const REQUEST_ID = 1;

async function subscribeStreams(socket: OpenConnection, streams: readonly string[], instruments: readonly string[]): Promise<void> {
  const params = instruments.flatMap((name) => streams.map((stream) => streamName(name, stream)));
  const answered = socket.frame(
    (text) => text.length < 1_000 && text.includes(`"id":${REQUEST_ID}`) && !text.startsWith('{"stream"'),
    SUBSCRIBED_WITHIN_MS,
  );
  socket.send(JSON.stringify({ method: 'SUBSCRIBE', params, id: REQUEST_ID }));
  const answer = await answered;
  if (!/"result":null/.test(answer)) throw new VenueError('bad_answer', `the venue refused the subscription: ${answer.slice(0, 200)}`);
}
