import { isObject, type Json } from '../json';
import { type ListedPerpetual, multipliedName, type VenueListing } from '../listing/listed-perpetual';
import { byName, factOf, instantOf, listsOf } from '../listing/read-answer';
import type { BybitMarket } from './instrument';

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
        return [perpetualOf(symbol, contract, tickers.get(symbol), market)];
      });
    },
  };
}

function perpetualOf(name: string, contract: Json, ticker: Json | undefined, market: BybitMarket): ListedPerpetual {
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
