import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';

const DELIVERY = /-[0-9]{1,2}[A-Z]{3}[0-9]{2}$/;
const PERPETUAL = /^(.+)USDT$/;

/**
 * `DOGEUSDT` maps to `DOGEUSD-PERP`. `BTCPERP`, quoted in USDC, can be mapped explicitly; `BTC-27SEP24` is not played.
 */
export function bybitName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract; only perpetuals are labelled' };
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base === undefined ? otherQuote(/^(.+)PERP$/.exec(venueInstrument)?.[1]) : perpetualOf(base);
}

/**
 * Books and changed tickers arrive every 100 ms; recorded frames within 0.16 s, except up to 2.4 s just after
 * subscribing.
 */
export function bybitInstrument(symbol: string, venueInstrument: string, channels: readonly Channel[]): PlayedInstrument {
  return {
    symbol,
    venue: 'bybit',
    venueInstrument,
    channels,
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
  };
}
