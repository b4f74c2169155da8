import { multipliedName } from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';

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

/** Name of a swap's index: `BTC-USDT` for `BTC-USDT-SWAP`. */
export function okxIndexOf(venueInstrument: string): string {
  return venueInstrument.replace(/-SWAP$/, '');
}
