import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { multipliedName } from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';

export type BybitMarket = 'linear' | 'inverse';

const DELIVERY = /-[0-9]{1,2}[A-Z]{3}[0-9]{2}$/;
const PERPETUAL = /^(.+)USDT$/;

/**
 * `DOGEUSDT` maps to `DOGEUSD-PERP`, `1000BONKUSDT` to `BONKUSD-PERP`. `BTCPERP`, quoted in USDC, can be mapped
 * explicitly; `BTC-27SEP24` is not played.
 */
export function bybitName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract; only perpetuals are labelled' };
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base === undefined ? otherQuote(/^(.+)PERP$/.exec(venueInstrument)?.[1]) : perpetualOf(multipliedName(base).base);
}

const INVERSE = /^[A-Z0-9]+USD$/;

/** Names of inverse perpetuals end in USD; those of linear ones in USDT or PERP. */
export function isInverseName(venueInstrument: string): boolean {
  return INVERSE.test(venueInstrument);
}

/** `BTCUSD` maps to `BTCUSD-PERP`; `BTCUSDH25` is a delivery contract. */
export function bybitInverseName(venueInstrument: string): VenueName {
  if (!isInverseName(venueInstrument)) return { type: 'not_played', reason: 'is no inverse perpetual' };
  return perpetualOf(multipliedName(venueInstrument.slice(0, -'USD'.length)).base);
}

/**
 * Books and changed tickers arrive every 100 ms; recorded frames within 0.16 s, except up to 2.4 s just after
 * subscribing. An inverse contract is worth 1 US dollar.
 */
export function bybitInstrument(
  symbol: string,
  venueInstrument: string,
  channels: readonly Channel[],
  market: BybitMarket = 'linear',
): PlayedInstrument {
  return {
    symbol,
    venue: market === 'inverse' ? 'bybit-inverse' : 'bybit',
    venueInstrument,
    ...(market === 'inverse' && { contractValue: '1' }),
    channels,
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
  };
}
