import { type Json, isObject } from '../json';
import { multipliedName, type ListedPerpetual, ListingError, type VenueListing } from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';
import { byName, factOf, instantOf, listsOf, productOf } from '../listing/read-answer';

const SWAP = /^(.+)-(USDT|USDC|USD)-SWAP$/;

/** `BTC-USDT-SWAP` and the inverse `BTC-USD-SWAP` map to `BTCUSD-PERP`; the contract's size is in no message. */
export function okxName(venueInstrument: string): VenueName {
  const [, base, quote] = SWAP.exec(venueInstrument) ?? [];
  if (base === undefined) return { type: 'not_played', reason: 'is no swap in USDT, USDC or USD; only perpetuals are labelled' };
  if (quote === 'USDC') return otherQuote(base);
  const read = perpetualOf(multipliedName(base).base);
  const reason = 'is a contract whose size appears in no message';
  return read.type === 'symbol' ? { type: 'to_describe', reason, base: read.symbol.slice(0, -'USD-PERP'.length) } : read;
}

/** Swaps settled in the coin count contracts of US dollars; others count contracts of the coin. */
export function okxUnit(venueInstrument: string): 'inverse' | 'contract' {
  return SWAP.exec(venueInstrument)?.[2] === 'USD' ? 'inverse' : 'contract';
}

/** `BTC-USDT` for `BTC-USDT-SWAP`. */
export function okxIndexOf(venueInstrument: string): string {
  return venueInstrument.replace(/-SWAP$/, '');
}

const HOUR_MS = 3_600_000;

/** Hours between this payment and the next; undefined if not whole. */
export function okxFundingHours({ fundingTime, nextFundingTime }: Json): number | undefined {
  const hours = (Number(nextFundingTime) - Number(fundingTime)) / HOUR_MS;
  return Number.isInteger(hours) && hours >= 1 && hours <= 24 ? hours : undefined;
}

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
      return typeof instId === 'string' && instType === 'SWAP'
        ? listedPerpetual(instId, swap, tickers.get(instId), funding.get(instId))
        : [];
    });
  },
};

/** The coin is the first part of the underlying. `ctMult` multiplies the contract's value. */
function listedPerpetual(name: string, swap: Json, ticker: Json | undefined, funding: Json | undefined): readonly ListedPerpetual[] {
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
