import type { BookStream } from '../message-queue';

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
