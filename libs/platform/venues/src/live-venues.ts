import type { Logger } from '@market-state/logging';
import { createBinanceSource } from './binance/binance-source';
import type { BinanceMarket } from './binance/market';
import { binanceRest } from './binance/rest-routes';
import { createHyperliquidSource, hyperliquidInfo } from './hyperliquid-source';
import type { VenueClock, VenueSource } from './venue-source';

/** What every source is made with. */
interface VenueSourceOptions {
  /** `ws://` or `wss://`, with the path of the socket. */
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly logger: Logger;
  /** US dollars that a contract stands for, by instrument: a venue that lists another size is not played. */
  readonly contractValues?: Readonly<Record<string, string>>;
  /** `systemClock` unless given. */
  readonly clock?: VenueClock;
}

/** How to reach each venue that can be played live, by its name in the registry of venues. */
const sources: Readonly<Record<string, (options: VenueSourceOptions) => VenueSource>> = {
  simulated: (options) => createHyperliquidSource({ ...options, simulated: true }),
  hyperliquid: createHyperliquidSource,
  'binance-coinm': (options) => createBinanceSource({ ...options, market: 'coinm' }),
  'binance-usdm': (options) => createBinanceSource({ ...options, market: 'usdm' }),
};

/** The source of a venue's live messages. @throws Error when none is known */
export function createVenueSource(venue: string, options: VenueSourceOptions): VenueSource {
  const create = sources[venue];
  if (create === undefined) throw new Error(`no live source of ${venue} is known`);
  return create(options);
}

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
