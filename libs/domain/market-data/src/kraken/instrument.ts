import type { Channel } from '../event';
import { multipliedName, type ListedPerpetual, ListingError, type VenueListing } from '../listing/listed-perpetual';
import type { PlayedInstrument } from '../played-instrument';
import { perpetualOf, type VenueName } from '../venue-name';
import { isObject, type Json } from '../json';
import { byName, factOf, instantOf, listsOf, powerOfTen } from '../listing/read-answer';

const PERPETUAL = /^(PF|PI)_(.+)USD$/;

/** The venue's older name of a coin. */
function krakenCoin(name: string): string {
  return name === 'XBT' ? 'BTC' : name.toUpperCase();
}

/** `PF_XBTUSD`, in base units, and the inverse `PI_XBTUSD` map to `BTCUSD-PERP`; `FF_` and `FI_` are dated futures. */
export function krakenName(venueInstrument: string): VenueName {
  const coin = PERPETUAL.exec(venueInstrument)?.[2];
  if (coin === undefined) return { type: 'not_played', reason: 'is no perpetual in US dollars; only perpetuals are labelled' };
  return perpetualOf(multipliedName(krakenCoin(coin)).base);
}

export function krakenUnit(venueInstrument: string): 'base' | 'inverse' {
  return venueInstrument.startsWith('PI_') ? 'inverse' : 'base';
}

/** Tickers arrive at most once a second. An inverse contract is worth 1 US dollar. */
export function krakenInstrument(symbol: string, venueInstrument: string, channels: readonly Channel[]): PlayedInstrument {
  return {
    symbol,
    venue: 'kraken',
    venueInstrument,
    ...(krakenUnit(venueInstrument) === 'inverse' && { contractValue: '1' }),
    channels,
    bookStalenessMs: 10_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
  };
}

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
      return [listedPerpetual(symbol, contract, tickers.get(symbol))];
    });
  },
};

function listedPerpetual(name: string, contract: Json, ticker: Json | undefined): ListedPerpetual {
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
