import { restText } from '../rest-text';
import { VenueError } from '../venue-source';
import { type BinanceMarket, MARKET_ROUTES } from './market';

type Json = Readonly<Record<string, unknown>>;

/** Levels a side of a complete book: the most that the venue sends. */
const DEPTH_LEVELS = 1_000;

/** Levels a side of a book that is asked for its best prices: the fewest that the venue takes. */
const BEST_LEVELS = 5;
/** Candles of an answer. */
const CANDLES_MAX = 500;

/** A contract as `exchangeInfo` lists it. */
export interface BinanceContract {
  readonly isPerpetual: boolean;
  /** `TRADING`, where it is traded. Undefined where the venue does not say. */
  readonly status: string | undefined;
  /** US dollars that a contract stands for; COIN-M only. */
  readonly contractSize: number | undefined;
}

/** The public REST routes of one market. Each throws VenueError as `restText` does. */
export interface BinanceRest {
  /** The contracts of the market, by name. */
  contracts(signal: AbortSignal): Promise<ReadonlyMap<string, BinanceContract>>;
  /** Entries of the instruments with unusual funding, as sent, by name. */
  changedFunding(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** The newest funding payment of an instrument, as sent; undefined where none was made. */
  lastFunding(instrument: string, signal: AbortSignal): Promise<string | undefined>;
  /** The complete book of an instrument, as sent. */
  depth(instrument: string, signal: AbortSignal): Promise<string>;
  /** The open interest of an instrument, as sent. */
  openInterest(instrument: string, signal: AbortSignal): Promise<string>;
  /** The best levels of the book of an instrument, as sent. */
  bestLevels(instrument: string, signal: AbortSignal): Promise<string>;
  /** Candles of one minute that open in [fromMs, toMs), at most 500, as sent. */
  minuteCandles(instrument: string, fromMs: number, toMs: number, signal: AbortSignal): Promise<string>;
  /** Mark price, index price and funding of an instrument, as sent. */
  premiumIndex(instrument: string, signal: AbortSignal): Promise<string>;
}

/** The public REST routes of a market below its address. */
export function binanceRest(market: BinanceMarket, restUrl: string): BinanceRest {
  const base = new URL(MARKET_ROUTES[market].restPath, restUrl.endsWith('/') ? restUrl : `${restUrl}/`);
  const ask = (route: string, signal: AbortSignal): Promise<string> => restText({ url: new URL(route, base).href, signal });
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
  if (!Array.isArray(value)) throw new VenueError('bad_answer', `the venue did not list its ${what}`);
  return (value as unknown[]).filter(isObject);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
