import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import {
  multipliedName,
  type ListedPerpetual,
  type VenueListing,
  byName,
  factOf,
  instantOf,
  listsOf,
  productOf,
} from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';
import { isCount, isObject, type Json, parseJson, parseObject } from '../json';
import type { BinanceMarket } from './message';
import { bestOf, candlePrices, type ExpectedMessages, readCandles, type VenueAnswerReader, type VenueCandle } from '../audit/venue-answers';
import { multiplyDecimals, decimalAsSent, positiveAsSent, unsignedAsSent } from '../decimal';

const DELIVERY = /_[0-9]{6}$/;
const PERPETUAL = /^(.+)USDT$/;

/**
 * `BTCUSDT` maps to `BTCUSD-PERP`, `1000PEPEUSDT` to `PEPEUSD-PERP`. `BTCUSDC` can be mapped explicitly; delivery
 * contracts (`BTCUSDT_240927`) are not played.
 */
export function usdmName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract; only perpetuals are labelled' };
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base === undefined ? otherQuote(/^(.+)USDC$/.exec(venueInstrument)?.[1]) : perpetualOf(multipliedName(base).base);
}

/** The contract value appears in no message, so it must be configured or in the table. */
export function coinmName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract; only perpetuals are labelled' };
  return { type: 'to_describe', reason: 'is a contract whose US dollar value appears in no message' };
}

export function usdmInstrument(symbol: string, venueInstrument: string, channels: readonly Channel[]): PlayedInstrument {
  return {
    symbol,
    venue: 'binance-usdm',
    venueInstrument,
    channels,
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
  };
}

/** `fundingInfo` names only intervals that differ from the venue's usual one: others stay unknown. */
export function binanceListing(market: BinanceMarket): VenueListing {
  const path = (route: string): string => `${market === 'coinm' ? 'dapi' : 'fapi'}/v1/${route}`;
  return {
    requests: [
      { name: 'exchangeInfo', path: path('exchangeInfo') },
      { name: 'fundingInfo', path: path('fundingInfo'), isOptional: true },
      { name: 'ticker', path: path('ticker/24hr'), isOptional: true },
    ],
    read(answers) {
      const funding = byName(listsOf(answers, 'fundingInfo'), 'symbol');
      const tickers = byName(listsOf(answers, 'ticker'), 'symbol');
      return listsOf(answers, 'exchangeInfo', 'symbols').flatMap((contract) => {
        const { symbol } = contract;
        if (typeof symbol !== 'string' || contract['contractType'] !== 'PERPETUAL') return [];
        return [listedPerpetual(symbol, contract, funding.get(symbol), tickers.get(symbol))];
      });
    },
  };
}

function listedPerpetual(name: string, contract: Json, funding: Json | undefined, ticker: Json | undefined): ListedPerpetual {
  const { baseAsset, quoteAsset, contractSize, status, contractStatus = status, filters, onboardDate, deliveryDate } = contract;
  const contractValue = factOf(contractSize);
  const filter = (type: string): Json | undefined =>
    Array.isArray(filters) ? (filters as unknown[]).filter(isObject).find((each) => each['filterType'] === type) : undefined;
  const hours = funding?.['fundingIntervalHours'];
  return {
    venueInstrument: name,
    ...multipliedName(String(baseAsset)),
    quote: String(quoteAsset),
    unit: contractValue === undefined ? 'base' : { contractValue },
    tickSize: factOf(filter('PRICE_FILTER')?.['tickSize']),
    lotSize: factOf(filter('LOT_SIZE')?.['stepSize']),
    ...(isCount(hours) && hours > 0 && { fundingIntervalHours: hours }),
    listedMs: instantOf(onboardDate),
    endsMs: instantOf(deliveryDate),
    dayVolumeUsd: contractValue === undefined ? factOf(ticker?.['quoteVolume']) : productOf(ticker?.['volume'], contractValue),
    ...(contractStatus !== undefined &&
      contractStatus !== 'TRADING' && { notTraded: `its status at the venue is ${String(contractStatus)}` }),
  };
}

/** `ps` (pair) and `st` (market kind) can appear in any stream since the venue merged its two markets. */
const EVERY_STREAM = ['e', 'E', 's', 'ps', 'st'] as const;

export const binanceMessages: ExpectedMessages = {
  kindOf({ stream, data }) {
    return typeof stream === 'string' ? { kind: stream.split('@')[1] ?? stream, body: data } : undefined;
  },
  messages: {
    depth: { fields: [...EVERY_STREAM, 'T', 'U', 'u', 'pu', 'b', 'a'] },
    trade: { fields: [...EVERY_STREAM, 'T', 't', 'p', 'q', 'X', 'm'] },
    markPrice: { fields: [...EVERY_STREAM, 'p', 'P', 'i', 'r', 'T'] },
    ticker: { fields: [...EVERY_STREAM, 'p', 'P', 'w', 'c', 'Q', 'o', 'h', 'l', 'v', 'q', 'O', 'C', 'F', 'L', 'n'] },
    forceOrder: {
      fields: [...EVERY_STREAM, ...['s', 'ps', 'st', 'S', 'o', 'f', 'q', 'p', 'ap', 'X', 'l', 'z', 'T'].map((name) => `o.${name}`)],
      isRare: true,
    },
    depthSnapshot: { fields: ['lastUpdateId', 'E', 'T', 'symbol', 'pair', 'bids', 'asks'] },
    openInterest: { fields: ['symbol', 'pair', 'openInterest', 'contractType', 'time'] },
    fundingInfo: {
      fields: ['symbol', 'adjustedFundingRateCap', 'adjustedFundingRateFloor', 'fundingIntervalHours', 'disclaimer', 'updateTime'],
      isRare: true,
    },
    lastFunding: { fields: ['symbol', 'fundingTime', 'fundingRate', 'markPrice'], isRare: true },
    subscribed: { fields: ['streams'] },
  },
};

/** COIN-M candles count contracts, and its `premiumIndex` returns a list. */
export const binanceAnswers: VenueAnswerReader = {
  candles: (text, { contractValue }) => readCandles(parseJson(text), (row) => readKline(row, contractValue)),
  bestPrices(text) {
    const { lastUpdateId, T: timeMs, bids, asks } = parseObject(text) ?? {};
    const [bid, ask] = [bestOf(bids), bestOf(asks)];
    if (!isCount(lastUpdateId) || !isCount(timeMs) || bid === undefined || ask === undefined) return undefined;
    return { place: { by: 'id', value: lastUpdateId }, timeMs, bid, ask };
  },
  context(text, { venueInstrument }) {
    const answer = parseJson(text);
    const entries: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    const entry = entries.find((each): each is Json => isObject(each) && each['symbol'] === venueInstrument);
    if (entry === undefined || !isCount(entry['time'])) return undefined;
    return { timeMs: entry['time'], markPrice: positiveAsSent(entry['markPrice']), fundingRate: decimalAsSent(entry['lastFundingRate']) };
  },
};

/** `[open time, open, high, low, close, volume, close time, other volume, trades, …]`. */
function readKline(row: unknown, contractValue: string | undefined): VenueCandle | undefined {
  if (!Array.isArray(row)) return undefined;
  const cells = row as unknown[];
  const [openMs, tradeTotal] = [cells[0], cells[8]];
  const prices = candlePrices(cells.slice(1, 5));
  const quantity = unsignedAsSent(cells[5]);
  if (!isCount(openMs) || !isCount(tradeTotal) || quantity === undefined || prices === undefined) return undefined;
  const turnover =
    contractValue === undefined
      ? ({ field: 'volume', value: quantity } as const)
      : ({ field: 'notional', value: multiplyDecimals(quantity, contractValue) } as const);
  return { openMs, ...prices, turnover, tradeTotal };
}
