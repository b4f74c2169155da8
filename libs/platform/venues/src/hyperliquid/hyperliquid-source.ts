import type { Logger } from '@market-state/logging';
import type { ConnectionLimits } from '../limits';
import { type OpenConnection, openConnection } from '../open-connection';
import { systemClock, type VenueClock } from '../venue-clock';
import { VenueError } from '../venue-error';
import type { Heartbeat } from '../venue-socket';
import type { VenueConnection, VenueSource } from '../venue-source';
import { coinsOf, hyperliquidInfo, type InfoRequest } from './info';
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

/**
 * Live messages of Hyperliquid. Public endpoints: no key. The frames of all channels come as they are; the answers of `info` (contexts
 * of the universe at every connection, trades, book and funding at every `catchUp`, book and trades at every `requestSnapshot`) come among
 * them as they are.
 */
export function createHyperliquidSource(options: HyperliquidSourceOptions): VenueSource {
  const { wsUrl, restUrl, logger, simulated = false, clock = systemClock, limits } = options;

  async function subscribe(connection: OpenConnection, coins: readonly string[], signal: AbortSignal): Promise<void> {
    const contexts = await hyperliquidInfo(restUrl, { type: 'metaAndAssetCtxs' }, signal);
    refuseUnknown(coins, coinsOf(contexts));
    const subscriptions = coins.flatMap((coin) => subscriptionsOf(coin, simulated));
    const acknowledged = allAcknowledged(connection, subscriptions.length);
    for (const subscription of subscriptions) connection.send(JSON.stringify({ method: 'subscribe', subscription }));
    await acknowledged;
    connection.deliver(contexts);
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
      return {
        subscribe: (coins) => subscribe(connection, coins, either),
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
        close() {
          ended.abort(new VenueError('connection_lost', 'the connection was closed'));
          connection.close();
        },
      };
    },
  };
}

function refuseUnknown(coins: readonly string[], known: readonly string[]): void {
  const unknown = coins.filter((coin) => !known.includes(coin));
  if (unknown.length > 0)
    throw new VenueError('unknown_instrument', `the venue has no coin ${unknown.join(', ')}; it has ${known.join(', ')}`);
}

async function allAcknowledged(connection: OpenConnection, count: number): Promise<void> {
  let left = count;
  let refusal: string | undefined;
  await connection.frame((text) => {
    if (text.startsWith(REFUSED)) refusal = text;
    else if (text.startsWith(ACKNOWLEDGED)) left--;
    return left <= 0 || refusal !== undefined;
  }, SUBSCRIBED_WITHIN_MS);
  if (refusal !== undefined) throw new VenueError('bad_answer', `the venue refused a subscription: ${refusal.slice(0, 200)}`);
}
