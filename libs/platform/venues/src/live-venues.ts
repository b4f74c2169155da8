import type { Logger } from '@market-state/logging';
import { createBinanceSource } from './binance/binance-source';
import type { BinanceMarket } from './binance/market';
import { binanceRest } from './binance/rest-routes';
import { createHyperliquidSource, hyperliquidInfo } from './hyperliquid-source';
import type { VenueClock, VenueSource } from './venue-source';

interface VenueSourceOptions {
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly logger: Logger;
  /** Expected US dollars per contract by instrument; an instrument listed with another size is not played. */
  readonly contractValues?: Readonly<Record<string, string>>;
  readonly clock?: VenueClock;
}

const sources: Readonly<Record<string, (options: VenueSourceOptions) => VenueSource>> = {
  simulated: (options) => createHyperliquidSource({ ...options, simulated: true }),
  hyperliquid: createHyperliquidSource,
  'binance-coinm': (options) => createBinanceSource({ ...options, market: 'coinm' }),
  'binance-usdm': (options) => createBinanceSource({ ...options, market: 'usdm' }),
};

/** @throws Error if the venue has no live source */
export function createVenueSource(venue: string, options: VenueSourceOptions): VenueSource {
  const create = sources[venue];
  if (create === undefined) throw new Error(`venue ${venue} has no live source`);
  return create(options);
}

/**
 * Public REST data as received, to compare with streamed messages. Rejects with VenueError like `restText`, or the
 * signal's reason.
 */
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
