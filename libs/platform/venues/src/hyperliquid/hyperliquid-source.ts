import { delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { ConnectionLimits } from '../limits';
import { ListedInstruments } from '../listed-instruments';
import { type OpenConnection, openConnection } from '../open-connection';
import { systemClock, type VenueClock } from '../venue-clock';
import { VenueError } from '../venue-error';
import type { Heartbeat } from '../venue-socket';
import type { MissingInstruments, VenueConnection, VenueSource } from '../venue-source';
import { hyperliquidInfo, type InfoRequest, missingReasons } from './info';
import { bookOf, subscriptionsOf } from './subscriptions';

/** The venue's addresses and kind. */
export interface HyperliquidSourceOptions {
  /** `wss://api.hyperliquid.xyz/ws`, for one. */
  readonly wsUrl: string;
  /** `https://api.hyperliquid.xyz`, for one: `/info` is asked below it. */
  readonly restUrl: string;
  readonly logger: Logger;
  /** The simulated venue, which reports liquidations on a channel of its own. */
  readonly simulated?: boolean;
  /** Waits; `delay` of the lifecycle library unless given. */
  readonly wait?: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** `systemClock` unless given. */
  readonly clock?: VenueClock;
  /** `CONNECTION_LIMITS` unless given. */
  readonly limits?: ConnectionLimits;
}

const HOUR_MS = 3_600_000;
const SUBSCRIBED_WITHIN_MS = 10_000;
const HEARTBEAT: Heartbeat = { text: '{"method":"ping"}', isAnswer: (text) => text === '{"channel":"pong"}' };
const ACKNOWLEDGED = '{"channel":"subscriptionResponse"';
const REFUSED = '{"channel":"error"';
/** The venue refuses a subscription that it has: nothing is missing then. */
const SUBSCRIBED_BEFORE = 'Already subscribed';
/** In an acknowledgement, or escaped in the sentence of a refusal. */
const NAMED_COIN = /\\?"coin\\?":\\?"([^"\\]{1,40})/;

/**
 * Live messages of Hyperliquid. Public endpoints: no key. The frames of all channels come as they are; the answers of `info` (contexts
 * of the universe at every connection, trades, book and funding at every `catchUp`, book and trades at every `requestSnapshot`) come among
 * them as they are.
 */
export function createHyperliquidSource(options: HyperliquidSourceOptions): VenueSource {
  const { wsUrl, restUrl, logger, simulated = false, wait = delay, clock = systemClock, limits } = options;

  function listedCoins(connection: OpenConnection, signal: AbortSignal): ListedInstruments {
    let contexts = '';
    return new ListedInstruments({
      async readMetadata() {
        contexts = await hyperliquidInfo(restUrl, { type: 'metaAndAssetCtxs' }, signal);
        return missingReasons(contexts);
      },
      async subscribe(coins) {
        const refused = await subscribeCoins(connection, coins);
        connection.deliver(contexts);
        return refused;
      },
      announce: (change) => connection.announce(change),
      logger,
      wait,
      signal,
    });
  }

  async function subscribeCoins(connection: OpenConnection, coins: readonly string[]): Promise<MissingInstruments> {
    const answered = allAnswered(connection, coins, coins.length * subscriptionsOf('', simulated).length);
    for (const coin of coins) send(connection, 'subscribe', coin);
    return answered;
  }

  function send(connection: OpenConnection, method: 'subscribe' | 'unsubscribe', coin: string): void {
    for (const subscription of subscriptionsOf(coin, simulated)) connection.send(JSON.stringify({ method, subscription }));
  }

  /** Payments are made at whole hours. */
  async function catchUp(connection: OpenConnection, coin: string, sinceMs: number, signal: AbortSignal): Promise<void> {
    const startTime = Math.floor(sinceMs / HOUR_MS) * HOUR_MS;
    const asked: readonly InfoRequest[] = [
      { type: 'recentTrades', coin },
      { type: 'l2Book', coin },
      { type: 'fundingHistory', coin, startTime },
    ];
    for (const request of asked) {
      try {
        connection.deliver(await hyperliquidInfo(restUrl, request, signal));
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error, coin, asked: request.type }, 'the venue gave no answer to catch up with');
      }
    }
  }

  return {
    async connect(signal): Promise<VenueConnection> {
      const ended = new AbortController();
      const either = AbortSignal.any([signal, ended.signal]);
      const connection = await openConnection({ url: wsUrl, clock, bookOf, heartbeat: HEARTBEAT, limits }, signal);
      const listed = listedCoins(connection, either);
      return {
        subscribe: (coins) => listed.subscribe(coins),
        async resubscribe(coin) {
          await listed.refresh();
          if (either.aborted || listed.isMissing(coin)) return;
          send(connection, 'unsubscribe', coin);
          send(connection, 'subscribe', coin);
        },
        messages: () => connection.messages(),
        async requestSnapshot(coin) {
          const [book, trades] = await Promise.all(
            (['l2Book', 'recentTrades'] as const).map((type) => hyperliquidInfo(restUrl, { type, coin }, either)),
          );
          if (book !== undefined) connection.deliver(book);
          if (trades !== undefined) connection.deliver(trades);
        },
        catchUp: (coin, sinceMs) => catchUp(connection, coin, sinceMs, either),
        counts: connection.counts,
        abandon: (reason) => connection.abandon(reason),
        close() {
          ended.abort(new VenueError('connection_lost', 'the connection was closed'));
          connection.close();
        },
      };
    },
  };
}

/**
 * Waits until the venue has answered so many subscriptions. Returns the refusals by coin.
 * @throws VenueError `bad_answer` when it refuses one and names none of the coins
 */
async function allAnswered(connection: OpenConnection, coins: readonly string[], count: number): Promise<MissingInstruments> {
  const refused = new Map<string, string>();
  let left = count;
  let refusal: string | undefined;
  await connection.frame((text) => {
    const isError = text.startsWith(REFUSED);
    if (isError || text.startsWith(ACKNOWLEDGED)) left--;
    if (isError && !text.includes(SUBSCRIBED_BEFORE)) {
      const coin = NAMED_COIN.exec(text)?.[1] ?? '';
      if (coins.includes(coin)) refused.set(coin, `the venue refuses ${coin}: ${text.slice(0, 200)}`);
      else refusal = text;
    }
    return left <= 0 || refusal !== undefined;
  }, SUBSCRIBED_WITHIN_MS);
  if (refusal !== undefined) throw new VenueError('bad_answer', `the venue refused a subscription: ${refusal.slice(0, 200)}`);
  return refused;
}
