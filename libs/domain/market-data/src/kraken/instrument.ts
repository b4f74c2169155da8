import type { Channel } from '../event';
import { multipliedName } from '../listing/listed-perpetual';
import type { PlayedInstrument } from '../played-instrument';
import { perpetualOf, type VenueName } from '../venue-name';

const PERPETUAL = /^(PF|PI)_(.+)USD$/;

/** The venue's older name of a coin. */
export function krakenCoin(name: string): string {
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
