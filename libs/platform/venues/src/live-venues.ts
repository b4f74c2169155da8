import { createBinanceSource } from './binance/binance-source';
import { type BinanceMarket, binanceRest } from './binance/routes';
import { createHyperliquidSource, hyperliquidInfo } from './hyperliquid-source';
import { bybitProtocol, krakenProtocol, okxProtocol, type StreamProtocol } from './streams/protocols';
import { createStreamSource, type VenueMetadata } from './streams/stream-source';
import { restText, urlBelow } from './rest-text';
import type { SourceOptions } from './open-connection';
import type { VenueSource } from './venue-source';

interface VenueSourceOptions extends Omit<SourceOptions, 'limits'> {
  /** Sizes by instrument; one listed with another is not played. */
  readonly contractValues?: Readonly<Record<string, string>>;
  /** Needed by Bybit, OKX and Kraken; others read their own. */
  readonly metadata?: VenueMetadata;
}

const sources: Readonly<Record<string, (options: VenueSourceOptions) => VenueSource>> = {
  simulated: (options) => createHyperliquidSource({ ...options, simulated: true }),
  hyperliquid: createHyperliquidSource,
  'binance-coinm': (options) => createBinanceSource({ ...options, market: 'coinm' }),
  'binance-usdm': (options) => createBinanceSource({ ...options, market: 'usdm' }),
  bybit: streamSource(bybitProtocol('linear')),
  'bybit-inverse': streamSource(bybitProtocol('inverse')),
  okx: streamSource(okxProtocol),
  kraken: streamSource(krakenProtocol),
};

function streamSource(protocol: StreamProtocol): (options: VenueSourceOptions) => VenueSource {
  return ({ metadata, ...options }) => {
    if (metadata === undefined) throw new Error('a venue of numbered streams needs its metadata');
    return createStreamSource({ ...options, metadata, protocol });
  };
}

/** @throws Error if the venue has no live source */
export function createVenueSource(venue: string, options: VenueSourceOptions): VenueSource {
  const create = sources[venue];
  if (create === undefined) throw new Error(`venue ${venue} has no live source`);
  return create(options);
}

/** Data as received, to compare with streamed messages. Rejects with VenueError like `restText`, or the signal's reason. */
export interface VenueAnswers {
  /** One-minute candles opening in [fromMs, toMs); at most 500. */
  candles(instrument: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<string>;
  book(instrument: string, signal: AbortSignal): Promise<string>;
  context(instrument: string, signal: AbortSignal): Promise<string>;
}

const askers: Readonly<Record<string, (restUrl: string) => VenueAnswers>> = {
  simulated: hyperliquidAnswers,
  hyperliquid: hyperliquidAnswers,
  'binance-coinm': (restUrl) => binanceAnswers('coinm', restUrl),
  'binance-usdm': (restUrl) => binanceAnswers('usdm', restUrl),
  bybit: (restUrl) => bybitAnswers('linear', restUrl),
  'bybit-inverse': (restUrl) => bybitAnswers('inverse', restUrl),
  okx: okxAnswers,
  kraken: krakenAnswers,
};

/** @throws Error if the venue has no REST client */
export function createVenueAnswers(venue: string, restUrl: string): VenueAnswers {
  const create = askers[venue];
  if (create === undefined) throw new Error(`venue ${venue} has no REST client`);
  return create(restUrl);
}

function hyperliquidAnswers(restUrl: string): VenueAnswers {
  return {
    candles: (coin, startTime, toMs, signal) =>
      hyperliquidInfo(restUrl, { type: 'candleSnapshot', req: { coin, interval: '1m', startTime, endTime: toMs - 1 } }, signal),
    book: (coin, signal) => hyperliquidInfo(restUrl, { type: 'l2Book', coin }, signal),
    context: (_coin, signal) => hyperliquidInfo(restUrl, { type: 'metaAndAssetCtxs' }, signal),
  };
}

function binanceAnswers(market: BinanceMarket, restUrl: string): VenueAnswers {
  const rest = binanceRest(market, restUrl);
  return {
    candles: (instrument, fromMs, toMs, signal) => rest.minuteCandles(instrument, fromMs, toMs, signal),
    book: (instrument, signal) => rest.bestLevels(instrument, signal),
    context: (instrument, signal) => rest.premiumIndex(instrument, signal),
  };
}

function routesBelow(restUrl: string) {
  return (path: string, signal: AbortSignal): Promise<string> => restText({ url: urlBelow(restUrl, path), signal });
}

function bybitAnswers(category: 'linear' | 'inverse', restUrl: string): VenueAnswers {
  const ask = routesBelow(restUrl);
  const query = (name: string): string => `category=${category}&symbol=${encodeURIComponent(name)}`;
  return {
    candles: (name, fromMs, toMs, signal) =>
      ask(`v5/market/kline?${query(name)}&interval=1&start=${fromMs}&end=${toMs - 1}&limit=500`, signal),
    book: (name, signal) => ask(`v5/market/orderbook?${query(name)}&limit=1`, signal),
    context: (name, signal) => ask(`v5/market/tickers?${query(name)}`, signal),
  };
}

function okxAnswers(restUrl: string): VenueAnswers {
  const ask = routesBelow(restUrl);
  return {
    /** The bounds are exclusive; at most 300. */
    candles: (name, fromMs, toMs, signal) =>
      ask(`api/v5/market/candles?instId=${encodeURIComponent(name)}&bar=1m&before=${fromMs - 1}&after=${toMs}&limit=300`, signal),
    book: (name, signal) => ask(`api/v5/market/books?instId=${encodeURIComponent(name)}&sz=1`, signal),
    /** Two answers in one list. */
    async context(name, signal) {
      const instId = encodeURIComponent(name);
      const answers = await Promise.all([
        ask(`api/v5/public/mark-price?instType=SWAP&instId=${instId}`, signal),
        ask(`api/v5/public/funding-rate?instId=${instId}`, signal),
      ]);
      const rows = answers.map((answer) => JSON.parse(answer) as { code?: string; data?: unknown[] });
      return JSON.stringify({ code: rows.find(({ code }) => code !== '0')?.code ?? '0', data: rows.flatMap(({ data = [] }) => data) });
    },
  };
}

function krakenAnswers(restUrl: string): VenueAnswers {
  const ask = routesBelow(restUrl);
  return {
    candles: (name, fromMs, toMs, signal) =>
      ask(
        `api/charts/v1/trade/${encodeURIComponent(name)}/1m?from=${Math.floor(fromMs / 1_000)}&to=${Math.ceil(toMs / 1_000) - 1}`,
        signal,
      ),
    book: (name, signal) => ask(`derivatives/api/v3/orderbook?symbol=${encodeURIComponent(name)}`, signal),
    context: (name, signal) => ask(`derivatives/api/v3/tickers/${encodeURIComponent(name)}`, signal),
  };
}
