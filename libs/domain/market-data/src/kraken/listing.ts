import { isObject, type Json } from '../json';
import { type ListedPerpetual, ListingError, multipliedName, type VenueListing } from '../listing/listed-perpetual';
import { byName, factOf, instantOf, listsOf, powerOfTen } from '../listing/read-answer';
import { krakenCoin, krakenName, krakenUnit } from './instrument';

/** Funding accrues every hour. `contractValueTradePrecision` is the number of decimals of a quantity. */
export const krakenListing: VenueListing = {
  requests: [
    { name: 'instruments', path: 'derivatives/api/v3/instruments' },
    { name: 'tickers', path: 'derivatives/api/v3/tickers', isOptional: true },
  ],
  read(answers) {
    const [first] = answers['instruments'] ?? [];
    if (!isObject(first) || first['result'] !== 'success') throw new ListingError('the venue did not list its contracts');
    const tickers = byName(listsOf(answers, 'tickers', 'tickers'), 'symbol');
    return listsOf(answers, 'instruments', 'instruments').flatMap((contract) => {
      const { symbol } = contract;
      if (typeof symbol !== 'string' || krakenName(symbol).type === 'not_played') return [];
      return [perpetualOf(symbol, contract, tickers.get(symbol))];
    });
  },
};

function perpetualOf(name: string, contract: Json, ticker: Json | undefined): ListedPerpetual {
  const { base, tickSize, contractSize, contractValueTradePrecision: decimals, openingDate, lastTradingTime, tradeable } = contract;
  const isInverse = krakenUnit(name) === 'inverse';
  return {
    venueInstrument: name,
    ...multipliedName(krakenCoin(typeof base === 'string' ? base : name.slice(3, -'USD'.length))),
    quote: 'USD',
    unit: isInverse ? { contractValue: factOf(contractSize) ?? '1' } : 'base',
    tickSize: factOf(tickSize),
    lotSize: powerOfTen(typeof decimals === 'number' ? -decimals : undefined),
    fundingIntervalHours: 1,
    listedMs: instantOf(openingDate),
    endsMs: instantOf(lastTradingTime),
    dayVolumeUsd: factOf(ticker?.[isInverse ? 'vol24h' : 'volumeQuote']),
    ...(tradeable !== true && { notTraded: 'the venue does not trade it' }),
  };
}
