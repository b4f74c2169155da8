import { isObject, type Json } from '../json';
import { type ListedPerpetual, ListingError, multipliedName, type VenueListing } from '../listing/listed-perpetual';
import { byName, factOf, instantOf, listsOf, productOf } from '../listing/read-answer';
import { okxFundingHours } from './message';

export const okxListing: VenueListing = {
  requests: [
    { name: 'instruments', path: 'api/v5/public/instruments?instType=SWAP' },
    { name: 'tickers', path: 'api/v5/market/tickers?instType=SWAP', isOptional: true },
    { name: 'funding', path: 'api/v5/public/funding-rate?instId=ANY', isOptional: true },
  ],
  read(answers) {
    const [first] = answers['instruments'] ?? [];
    if (!isObject(first) || first['code'] !== '0') throw new ListingError('the venue did not list its swaps');
    const rowsOf = (name: string): ReadonlyMap<string, Json> => byName(listsOf(answers, name, 'data'), 'instId');
    const [tickers, funding] = [rowsOf('tickers'), rowsOf('funding')];
    return listsOf(answers, 'instruments', 'data').flatMap((swap) => {
      const { instId, instType } = swap;
      return typeof instId === 'string' && instType === 'SWAP' ? perpetualOf(instId, swap, tickers.get(instId), funding.get(instId)) : [];
    });
  },
};

/** The coin is the first part of the underlying. `ctMult` multiplies the contract's value. */
function perpetualOf(name: string, swap: Json, ticker: Json | undefined, funding: Json | undefined): readonly ListedPerpetual[] {
  const { uly, ctType, ctVal, ctMult, settleCcy, tickSz, lotSz, listTime, expTime, state } = swap;
  const [coin = '', quote = ''] = String(uly).split('-');
  const worth = productOf(ctVal, ctMult);
  if (worth === undefined) return [];
  return [
    {
      venueInstrument: name,
      ...multipliedName(coin),
      quote: ctType === 'linear' ? String(settleCcy) : quote,
      unit: ctType === 'inverse' ? { contractValue: worth } : { contractSize: worth },
      tickSize: factOf(tickSz),
      lotSize: factOf(lotSz),
      fundingIntervalHours: funding && okxFundingHours(funding),
      listedMs: instantOf(listTime),
      endsMs: instantOf(expTime),
      dayVolumeUsd: productOf(ticker?.['volCcy24h'], ticker?.['last']),
      ...(state !== 'live' && { notTraded: `its state at the venue is ${String(state)}` }),
    },
  ];
}
