import type { BookStream } from '../message-queue';

/** Which of Binance's two futures markets: inverse contracts, or contracts in USDT. */
export type BinanceMarket = 'coinm' | 'usdm';

/** A WebSocket address below the market's, and the streams of an instrument that it carries. */
interface StreamRoute {
  readonly path: string;
  readonly streams: readonly string[];
}

/** What differs between the markets besides their hosts. */
interface MarketRoutes {
  readonly restPath: string;
  readonly sockets: readonly StreamRoute[];
}

const FAST = ['depth@100ms', 'trade'] as const;
const SLOW = ['markPrice@1s', 'ticker', 'forceOrder'] as const;

/**
 * USD-M carries fast streams and slow ones at two addresses, and each pushes nothing of the other's. Source: the venue's
 * "Important WebSocket Change Notice" of 2026-03-06, in force from 2026-04-23.
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

/** All streams of an instrument, without its name. */
export function streamsOf(market: BinanceMarket): readonly string[] {
  return MARKET_ROUTES[market].sockets.flatMap(({ streams }) => streams);
}

const DEPTH = /^\{"stream":"([^"@\\]{1,40})@(depth)@/;

/**
 * Changes of a book. If many wait, only the last is kept: the ids of the next one show that some are missing, and a new book is
 * requested.
 */
export function bookOf(text: string): BookStream | undefined {
  const [, name, stream] = DEPTH.exec(text.slice(0, 80)) ?? [];
  return name === undefined || stream === undefined ? undefined : { stream, instrument: name.toUpperCase() };
}

/** A stream's name at the venue. */
export function streamName(instrument: string, stream: string): string {
  return `${instrument.toLowerCase()}@${stream}`;
}

/**
 * A REST answer as a line among the messages: in the venue's envelope of combined streams, which names the instrument where the
 * answer does not. The answer stays as it was sent, but on one line.
 */
export function answerMessage(instrument: string, stream: string, answer: string): string {
  return `{"stream":${JSON.stringify(streamName(instrument, stream))},"data":${answer.replaceAll(/[\r\n]+/g, ' ')}}`;
}
