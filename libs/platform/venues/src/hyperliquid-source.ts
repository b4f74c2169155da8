import { delay } from '@market-state/lifecycle';
import { ListedInstruments } from './listed-instruments';
import type { BookStream } from './message-queue';
import { connectSockets, type OpenConnection, type SourceOptions } from './open-connection';
import { restText, urlBelow } from './rest-text';
import type { Heartbeat } from './venue-socket';
import { type MissingInstruments, systemClock, VenueError, type VenueSource } from './venue-source';

interface HyperliquidSourceOptions extends SourceOptions {
  readonly simulated?: boolean;
}

const HOUR_MS = 3_600_000;
const SUBSCRIBED_WITHIN_MS = 10_000;

const HEARTBEAT: Heartbeat = { text: '{"method":"ping"}', isAnswer: (text) => text === '{"channel":"pong"}' };

const ACKNOWLEDGED = '{"channel":"subscriptionResponse"';
const REFUSED = '{"channel":"error"';
/** The venue's refusal of a duplicate subscription, which is harmless. */
const SUBSCRIBED_BEFORE = 'Already subscribed';
const NAMED_COIN = /\\?"coin\\?":\\?"([^"\\]{1,40})/;
const BOOK = /^\{"channel":"(l2Book|bbo)","data":\{(?:[^[]{0,200}?)"coin":"([^"]{1,40})"/;

/**
 * Inserts `info` responses as received: contexts on each connection; trades, book and funding on `catchUp`; book and
 * trades on `requestSnapshot`.
 */
export function createHyperliquidSource(options: HyperliquidSourceOptions): VenueSource {
  const { wsUrl, restUrl, logger, simulated = false, wait = delay, clock = systemClock, limits } = options;

  function listedCoins(connection: OpenConnection, planned: () => Plan, signal: AbortSignal): ListedInstruments {
    let contexts = '';
    return new ListedInstruments({
      async readMetadata() {
        contexts = await hyperliquidInfo(restUrl, { type: 'metaAndAssetCtxs' }, signal);
        return missingReasons(contexts);
      },
      async subscribe(coins) {
        const refused = await subscribeCoins(connection, planned(), coins);
        connection.deliver(contexts);
        return refused;
      },
      announce: (change) => connection.announce(change),
      logger,
      wait,
      signal,
    });
  }

  async function subscribeCoins(connection: OpenConnection, plan: Plan, coins: readonly string[]): Promise<MissingInstruments> {
    const answered = allAnswered(
      connection,
      coins,
      coins.reduce((sum, coin) => sum + subscriptionsOf(coin, plan, simulated).length, 0),
    );
    for (const coin of coins) send(connection, 'subscribe', plan, coin);
    return answered;
  }

  function send(connection: OpenConnection, method: 'subscribe' | 'unsubscribe', plan: Plan, coin: string): void {
    for (const subscription of subscriptionsOf(coin, plan, simulated)) connection.send(JSON.stringify({ method, subscription }));
  }

  /** Funding is paid on the hour. */
  async function catchUp(connection: OpenConnection, coin: string, sinceMs: number, signal: AbortSignal): Promise<void> {
    const startTime = Math.floor(sinceMs / HOUR_MS) * HOUR_MS;
    const requests: readonly InfoRequest[] = [
      { type: 'recentTrades', coin },
      { type: 'l2Book', coin },
      { type: 'fundingHistory', coin, startTime },
    ];
    for (const request of requests) {
      try {
        connection.deliver(await hyperliquidInfo(restUrl, request, signal));
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ err: error, coin, requested: request.type }, 'backfill request failed');
      }
    }
  }

  function requestsOn(connection: OpenConnection, ended: AbortSignal) {
    let plan = planOf([]);
    const listed = listedCoins(connection, () => plan, ended);
    return {
      listed,
      subscribe(coins: readonly string[]) {
        plan = planOf(coins);
        return listed.subscribe(coins);
      },
      repeat(coin: string) {
        send(connection, 'unsubscribe', plan, coin);
        send(connection, 'subscribe', plan, coin);
      },
      async requestSnapshot(coin: string) {
        const [book, trades] = await Promise.all(
          (['l2Book', 'recentTrades'] as const).map((type) => hyperliquidInfo(restUrl, { type, coin }, ended)),
        );
        if (book !== undefined) connection.deliver(book);
        if (trades !== undefined) connection.deliver(trades);
      },
      catchUp: (coin: string, sinceMs: number) => catchUp(connection, coin, sinceMs, ended),
    };
  }

  const socket = { url: wsUrl, clock, bookOf, heartbeat: HEARTBEAT, limits };
  return { connect: (signal) => connectSockets([socket], signal, ([connection], ended) => requestsOn(connection, ended)) };
}

/**
 * Returns the refusals by coin.
 * @throws VenueError `bad_answer` if a refusal names none of the coins
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
      if (coins.includes(coin)) refused.set(coin, `venue refused ${coin}: ${text.slice(0, 200)}`);
      else refusal = text;
    }
    return left <= 0 || refusal !== undefined;
  }, SUBSCRIBED_WITHIN_MS);
  if (refusal !== undefined) throw new VenueError('bad_answer', `venue refused a subscription: ${refusal.slice(0, 200)}`);
  return refused;
}

/** The venue's limit for an address. */
const SUBSCRIPTIONS_MAX = 1_000;
/** Per coin, without `candle` and `bbo`. */
const NEEDED = 4;

/** Coins that also have candles, by which missing trades are counted, and best prices. */
interface Plan {
  readonly candles: ReadonlySet<string>;
  readonly best: ReadonlySet<string>;
}

/** First come the coins named first: with more than 166 coins, the last have no candles; with more than 200, no best prices. */
function planOf(coins: readonly string[]): Plan {
  const best = coins.slice(0, Math.max(0, SUBSCRIPTIONS_MAX - coins.length * NEEDED));
  const candles = coins.slice(0, Math.max(0, SUBSCRIPTIONS_MAX - coins.length * NEEDED - best.length));
  return { candles: new Set(candles), best: new Set(best) };
}

/**
 * Only the simulated venue has `simLiquidations`; its acknowledgement comes first and marks a recording as simulated.
 */
function subscriptionsOf(coin: string, { candles, best }: Plan, simulated: boolean): readonly object[] {
  return [
    ...(simulated ? [{ type: 'simLiquidations', coin }] : []),
    { type: 'l2Book', coin },
    { type: 'l2Book', coin, fast: true },
    ...(best.has(coin) ? [{ type: 'bbo', coin }] : []),
    { type: 'trades', coin },
    { type: 'activeAssetCtx', coin },
    ...(candles.has(coin) ? [{ type: 'candle', coin, interval: '1m' }] : []),
  ];
}

export function bookOf(text: string): BookStream | undefined {
  const [, stream, instrument] = BOOK.exec(text.slice(0, 300)) ?? [];
  return stream === undefined || instrument === undefined ? undefined : { stream, instrument };
}

type InfoRequest =
  | { readonly type: 'meta' | 'metaAndAssetCtxs' }
  | { readonly type: 'l2Book' | 'recentTrades'; readonly coin: string }
  | { readonly type: 'fundingHistory'; readonly coin: string; readonly startTime: number }
  | {
      readonly type: 'candleSnapshot';
      readonly req: { readonly coin: string; readonly interval: string; readonly startTime: number; readonly endTime: number };
    };

export function hyperliquidInfo(restUrl: string, request: InfoRequest, signal?: AbortSignal): Promise<string> {
  return restText({ url: urlBelow(restUrl, 'info'), body: request, signal });
}

/**
 * Undefined if the coin can be subscribed.
 * @throws VenueError `bad_answer`
 */
function missingReasons(answer: string): (coin: string) => string | undefined {
  const parsed: unknown = JSON.parse(answer);
  const meta: unknown = Array.isArray(parsed) ? parsed[0] : undefined;
  const universe: unknown = isObject(meta) ? meta['universe'] : undefined;
  if (!Array.isArray(universe)) throw new VenueError('bad_answer', 'venue did not list its coins');
  const assets = new Map((universe as unknown[]).filter(isObject).map((asset) => [asset['name'], asset]));
  return (coin) => {
    const asset = assets.get(coin);
    if (asset === undefined && coin.includes(':'))
      return `${coin} is a builder-deployed perpetual, which cannot be followed live; label a recording with --instrument instead`;
    if (asset === undefined) return `the venue does not list ${coin}`;
    return asset['isDelisted'] === true ? `the venue has delisted ${coin}` : undefined;
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
