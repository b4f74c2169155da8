import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';

const DELIVERY = /-[0-9]{1,2}[A-Z]{3}[0-9]{2}$/;
const PERPETUAL = /^(.+)USDT$/;

/** `DOGEUSDT` is `DOGEUSD-PERP`. `BTCPERP`, quoted in USDC, may be described as a symbol; `BTC-27SEP24` is not played. */
export function bybitName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract, and only perpetual ones are labelled' };
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base === undefined ? otherQuote(/^(.+)PERP$/.exec(venueInstrument)?.[1]) : perpetualOf(base);
}

/**
 * Facts of a Bybit linear perpetual. Books come every 100 ms, tickers too while something changes. Closing lag 1 s: in steady
 * state every frame of the recording arrived within 0.16 s; only those of the first half second after subscribing came up to
 * 2.4 s after their time, and they end no window of a connection that lasts.
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
