import type { BookStream } from '../message-queue';
import { restText, urlBelow } from '../rest-text';
import { VenueError } from '../venue-source';

/** `coinm`: inverse contracts; `usdm`: contracts in USDT. */
export type BinanceMarket = 'coinm' | 'usdm';

interface StreamRoute {
  readonly path: string;
  readonly streams: readonly string[];
}

interface MarketRoutes {
  readonly restPath: string;
  readonly sockets: readonly StreamRoute[];
}

const FAST = ['depth@100ms', 'trade'] as const;
const SLOW = ['markPrice@1s', 'ticker', 'forceOrder'] as const;

/**
 * Two addresses on USD-M. Source: the venue's "Important WebSocket Change Notice" of 2026-03-06, in force from
 * 2026-04-23.
 */
export const MARKET_ROUTES: Readonly<Record<BinanceMarket, MarketRoutes>> = {
  coinm: { restPath: 'dapi/v1/', sockets: [{ path: 'stream', streams: [...FAST, ...SLOW] }] },
  usdm: {
    restPath: 'fapi/v1/',
    sockets: [
      { path: 'public/stream', streams: FAST },
      { path: 'market/stream', streams: SLOW },
    ],
  },
};

export function streamsOf(market: BinanceMarket): readonly string[] {
  return MARKET_ROUTES[market].sockets.flatMap(({ streams }) => streams);
}

const DEPTH = /^\{"stream":"([^"@\\]{1,40})@(depth)@/;

/** If the queue drops updates, their ids reveal the gap. */
export function bookOf(text: string): BookStream | undefined {
  const [, name, stream] = DEPTH.exec(text.slice(0, 80)) ?? [];
  return name === undefined || stream === undefined ? undefined : { stream, instrument: name.toUpperCase() };
}

export function streamName(instrument: string, stream: string): string {
  return `${instrument.toLowerCase()}@${stream}`;
}

/** Names the instrument in an envelope. Only line breaks are changed. */
export function answerMessage(instrument: string, stream: string, answer: string): string {
  return `{"stream":${JSON.stringify(streamName(instrument, stream))},"data":${answer.replaceAll(/[\r\n]+/g, ' ')}}`;
}

type Json = Readonly<Record<string, unknown>>;

const DEPTH_LEVELS = 1_000;

const BEST_LEVELS = 5;
const CANDLES_MAX = 500;

export interface BinanceContract {
  readonly isPerpetual: boolean;
  readonly status: string | undefined;
  readonly contractSize: number | undefined;
}

/** Responses are returned as received. Methods throw VenueError like `restText`. */
interface BinanceRest {
  contracts(signal: AbortSignal): Promise<ReadonlyMap<string, BinanceContract>>;
  /** Instruments with non-default funding, by name. */
  changedFunding(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  lastFunding(instrument: string, signal: AbortSignal): Promise<string | undefined>;
  depth(instrument: string, signal: AbortSignal): Promise<string>;
  openInterest(instrument: string, signal: AbortSignal): Promise<string>;
  bestLevels(instrument: string, signal: AbortSignal): Promise<string>;
  /** One-minute candles opening in [fromMs, toMs); at most 500. */
  minuteCandles(instrument: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<string>;
  premiumIndex(instrument: string, signal: AbortSignal): Promise<string>;
}

export function binanceRest(market: BinanceMarket, restUrl: string): BinanceRest {
  const { restPath } = MARKET_ROUTES[market];
  const ask = (route: string, signal: AbortSignal): Promise<string> => restText({ url: urlBelow(restUrl, `${restPath}${route}`), signal });
  return {
    async contracts(signal) {
      const { symbols } = objectOf(await ask('exchangeInfo', signal));
      return new Map(
        listOf(symbols, 'contracts').map(({ symbol, contractType, status, contractStatus = status, contractSize }) => [
          String(symbol),
          {
            isPerpetual: contractType === 'PERPETUAL',
            status: typeof contractStatus === 'string' ? contractStatus : undefined,
            contractSize: typeof contractSize === 'number' ? contractSize : undefined,
          },
        ]),
      );
    },
    async changedFunding(signal) {
      const entries = listOf(JSON.parse(await ask('fundingInfo', signal)), 'funding intervals');
      return new Map(
        entries.flatMap((entry) => (typeof entry['symbol'] === 'string' ? [[entry['symbol'], JSON.stringify(entry)] as const] : [])),
      );
    },
    async lastFunding(instrument, signal) {
      const answer = await ask(`fundingRate?symbol=${encodeURIComponent(instrument)}&limit=1`, signal);
      const payment = listOf(JSON.parse(answer), 'funding payments').at(-1);
      return payment && JSON.stringify(payment);
    },
    depth: (instrument, signal) => ask(`depth?symbol=${encodeURIComponent(instrument)}&limit=${DEPTH_LEVELS}`, signal),
    openInterest: (instrument, signal) => ask(`openInterest?symbol=${encodeURIComponent(instrument)}`, signal),
    bestLevels: (instrument, signal) => ask(`depth?symbol=${encodeURIComponent(instrument)}&limit=${BEST_LEVELS}`, signal),
    minuteCandles(instrument, fromMs, toMs, signal) {
      const span = `startTime=${fromMs}&endTime=${toMs - 1}&limit=${CANDLES_MAX}`;
      return ask(`klines?symbol=${encodeURIComponent(instrument)}&interval=1m&${span}`, signal);
    },
    premiumIndex: (instrument, signal) => ask(`premiumIndex?symbol=${encodeURIComponent(instrument)}`, signal),
  };
}

function objectOf(answer: string): Json {
  const parsed: unknown = JSON.parse(answer);
  return isObject(parsed) ? parsed : {};
}

function listOf(value: unknown, what: string): readonly Json[] {
  if (!Array.isArray(value)) throw new VenueError('bad_answer', `venue did not list its ${what}`);
  return (value as unknown[]).filter(isObject);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
