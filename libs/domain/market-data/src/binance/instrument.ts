import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { multipliedName, type ListedPerpetual, type VenueListing } from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';
import { isCount, isObject, type Json } from '../json';
import { byName, factOf, instantOf, listsOf, productOf } from '../listing/read-answer';
import type { BinanceMarket } from './message';

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
