import { isCount, isObject, type Json } from '../json';
import { type ListedPerpetual, multipliedName, type VenueListing } from '../listing/listed-perpetual';
import { byName, factOf, instantOf, listsOf, productOf } from '../listing/read-answer';
import type { BinanceMarket } from './message';

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
        return [perpetualOf(symbol, contract, funding.get(symbol), tickers.get(symbol))];
      });
    },
  };
}

function perpetualOf(name: string, contract: Json, funding: Json | undefined, ticker: Json | undefined): ListedPerpetual {
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
