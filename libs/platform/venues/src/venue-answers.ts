import { binanceRest } from './binance/rest-routes';
import type { BinanceMarket } from './binance/market';
import { hyperliquidInfo } from './hyperliquid/info';

/**
 * What a venue says when it is asked, through its public REST routes: what its messages said should be the same. Answers come as received.
 * Each rejects with VenueError as `restText` does, or with the signal's reason.
 */
export interface VenueAnswers {
  /** Candles of one minute that open in a span: milliseconds since the epoch, the end exclusive. At most 500. */
  candles(instrument: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<string>;
  /** The book now, with its best prices at least. */
  book(instrument: string, signal: AbortSignal): Promise<string>;
  /** Mark price and funding rate now. */
  context(instrument: string, signal: AbortSignal): Promise<string>;
}

/** How to ask each venue that can be played live, by its name in the registry of venues. */
const askers: Readonly<Record<string, (restUrl: string) => VenueAnswers>> = {
  simulated: hyperliquidAnswers,
  hyperliquid: hyperliquidAnswers,
  'binance-coinm': (restUrl) => binanceAnswers('coinm', restUrl),
  'binance-usdm': (restUrl) => binanceAnswers('usdm', restUrl),
};

/** Asks a venue at its REST address. @throws Error when none of that name is known */
export function createVenueAnswers(venue: string, restUrl: string): VenueAnswers {
  const create = askers[venue];
  if (create === undefined) throw new Error(`no way to ask ${venue} is known`);
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
