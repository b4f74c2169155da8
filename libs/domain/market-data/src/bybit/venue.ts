import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { multipliedName, type ListedPerpetual, type VenueListing, byName, factOf, instantOf, listsOf } from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';
import { isObject, type Json, isCount, parseObject } from '../json';
import { bestOf, candlePrices, type ExpectedMessages, readCandles, type VenueAnswerReader, type VenueCandle } from '../audit/venue-answers';
import { decimalAsSent, positiveAsSent, unsignedAsSent } from '../decimal';

export type BybitMarket = 'linear' | 'inverse';

const DELIVERY = /-[0-9]{1,2}[A-Z]{3}[0-9]{2}$/;
const PERPETUAL = /^(.+)USDT$/;

/**
 * `DOGEUSDT` maps to `DOGEUSD-PERP`, `1000BONKUSDT` to `BONKUSD-PERP`. `BTCPERP`, quoted in USDC, can be mapped
 * explicitly; `BTC-27SEP24` is not played.
 */
export function bybitName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract; only perpetuals are labelled' };
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base === undefined ? otherQuote(/^(.+)PERP$/.exec(venueInstrument)?.[1]) : perpetualOf(multipliedName(base).base);
}

const INVERSE = /^[A-Z0-9]+USD$/;

/** Names of inverse perpetuals end in USD; those of linear ones in USDT or PERP. */
export function isInverseName(venueInstrument: string): boolean {
  return INVERSE.test(venueInstrument);
}

/** `BTCUSD` maps to `BTCUSD-PERP`; `BTCUSDH25` is a delivery contract. */
export function bybitInverseName(venueInstrument: string): VenueName {
  if (!isInverseName(venueInstrument)) return { type: 'not_played', reason: 'is no inverse perpetual' };
  return perpetualOf(multipliedName(venueInstrument.slice(0, -'USD'.length)).base);
}

/**
 * Books and changed tickers arrive every 100 ms; recorded frames within 0.16 s, except up to 2.4 s just after
 * subscribing. An inverse contract is worth 1 US dollar.
 */
export function bybitInstrument(
  symbol: string,
  venueInstrument: string,
  channels: readonly Channel[],
  market: BybitMarket = 'linear',
): PlayedInstrument {
  return {
    symbol,
    venue: market === 'inverse' ? 'bybit-inverse' : 'bybit',
    venueInstrument,
    ...(market === 'inverse' && { contractValue: '1' }),
    channels,
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
  };
}

const MINUTES_AN_HOUR = 60;
const TYPES: Readonly<Record<BybitMarket, string>> = { linear: 'LinearPerpetual', inverse: 'InversePerpetual' };

/** An inverse contract is 1 US dollar: quantities, `qtyStep` and `volume24h` are dollars. */
export function bybitListing(market: BybitMarket): VenueListing {
  const instruments = `v5/market/instruments-info?category=${market}&limit=1000`;
  return {
    requests: [
      {
        name: 'instruments',
        path: instruments,
        next(answer) {
          const result: unknown = isObject(answer) ? answer['result'] : undefined;
          const cursor: unknown = isObject(result) ? result['nextPageCursor'] : undefined;
          return typeof cursor === 'string' && cursor !== '' ? `${instruments}&cursor=${encodeURIComponent(cursor)}` : undefined;
        },
      },
      { name: 'tickers', path: `v5/market/tickers?category=${market}`, isOptional: true },
    ],
    read(answers) {
      const tickers = byName(listsOf(answers, 'tickers', 'result', 'list'), 'symbol');
      return listsOf(answers, 'instruments', 'result', 'list').flatMap((contract) => {
        const { symbol } = contract;
        if (typeof symbol !== 'string' || contract['contractType'] !== TYPES[market]) return [];
        return [listedPerpetual(symbol, contract, tickers.get(symbol), market)];
      });
    },
  };
}

function listedPerpetual(name: string, contract: Json, ticker: Json | undefined, market: BybitMarket): ListedPerpetual {
  const { baseCoin, quoteCoin, status, launchTime, deliveryTime, priceFilter, lotSizeFilter, fundingInterval } = contract;
  const minutes = factOf(fundingInterval);
  return {
    venueInstrument: name,
    ...multipliedName(String(baseCoin)),
    quote: String(quoteCoin),
    unit: market === 'inverse' ? { contractValue: '1' } : 'base',
    tickSize: isObject(priceFilter) ? factOf(priceFilter['tickSize']) : undefined,
    lotSize: isObject(lotSizeFilter) ? factOf(lotSizeFilter['qtyStep']) : undefined,
    ...(minutes !== undefined && Number(minutes) % MINUTES_AN_HOUR === 0 && { fundingIntervalHours: Number(minutes) / MINUTES_AN_HOUR }),
    listedMs: instantOf(launchTime),
    endsMs: instantOf(deliveryTime),
    dayVolumeUsd: factOf(ticker?.[market === 'inverse' ? 'volume24h' : 'turnover24h']),
    ...(status !== 'Trading' && { notTraded: `its status at the venue is ${String(status)}` }),
  };
}

const TICKER_FIELDS = [
  ...['symbol', 'tickDirection', 'price24hPcnt', 'lastPrice', 'prevPrice24h', 'highPrice24h', 'lowPrice24h', 'prevPrice1h', 'markPrice'],
  ...[
    'indexPrice',
    'openInterest',
    'openInterestValue',
    'turnover24h',
    'volume24h',
    'fundingIntervalHour',
    'fundingCap',
    'nextFundingTime',
  ],
  ...['fundingRate', 'bid1Price', 'bid1Size', 'ask1Price', 'ask1Size', 'preOpenPrice', 'preQty', 'curPreListingPhase'],
  ...['singleOpenInterest', 'singleOpenInterestValue'],
];

export const bybitMessages: ExpectedMessages = {
  kindOf: ({ topic, data }) => (typeof topic === 'string' ? { kind: topic.split('.')[0] ?? topic, body: data } : undefined),
  messages: {
    orderbook: { fields: ['s', 'b', 'a', 'u', 'seq'] },
    publicTrade: { fields: ['T', 's', 'S', 'v', 'p', 'L', 'i', 'BT', 'RPI', 'seq'] },
    tickers: { fields: TICKER_FIELDS },
    allLiquidation: { fields: ['T', 's', 'S', 'v', 'p'], isRare: true },
    recentTrades: {
      fields: [
        ...['retCode', 'retMsg', 'time', 'result.category', 'result.list'],
        ...['execId', 'symbol', 'price', 'size', 'side', 'time', 'isBlockTrade', 'isRPITrade', 'seq'].map((name) => `result.list.${name}`),
      ],
      isRare: true,
    },
  },
};

/** Candles have no trade count. */
export const bybitAnswers: VenueAnswerReader = {
  candles: (text, { contractValue }) => readCandles(listOf(text), (row) => readKline(row, contractValue !== undefined)),
  bestPrices(text) {
    const { result } = parseObject(text) ?? {};
    if (!isObject(result)) return undefined;
    const { cts: timeMs = result['ts'], b, a } = result;
    const [bid, ask] = [bestOf(b), bestOf(a)];
    if (!isCount(timeMs) || bid === undefined || ask === undefined) return undefined;
    return { place: { by: 'time', value: timeMs }, timeMs, bid, ask };
  },
  context(text, { venueInstrument }) {
    const { time } = parseObject(text) ?? {};
    const entry = listOf(text)?.find((each): each is Json => isObject(each) && each['symbol'] === venueInstrument);
    if (entry === undefined) return undefined;
    return {
      ...(isCount(time) && { timeMs: time }),
      markPrice: positiveAsSent(entry['markPrice']),
      fundingRate: decimalAsSent(entry['fundingRate']),
    };
  },
};

function listOf(text: string): readonly unknown[] | undefined {
  const { retCode, result } = parseObject(text) ?? {};
  return retCode === 0 && isObject(result) && Array.isArray(result['list']) ? (result['list'] as unknown[]) : undefined;
}

/** `[start, open, high, low, close, volume, turnover]`; the volume of inverse contracts counts dollars. */
function readKline(row: unknown, isInverse: boolean): VenueCandle | undefined {
  if (!Array.isArray(row)) return undefined;
  const cells = row as unknown[];
  const openMs = Number(cells[0]);
  const prices = candlePrices(cells.slice(1, 5));
  const value = unsignedAsSent(cells[5]);
  if (!isCount(openMs) || prices === undefined || value === undefined) return undefined;
  return { openMs, ...prices, turnover: { field: isInverse ? 'notional' : 'volume', value } };
}
