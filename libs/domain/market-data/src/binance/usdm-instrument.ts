import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';

const DELIVERY = /_[0-9]{6}$/;
const PERPETUAL = /^(.+)USDT$/;

/** `BTCUSDT` is `BTCUSD-PERP`. `BTCUSDC` may be described as that symbol; delivery contracts (`BTCUSDT_240927`) are not played. */
export function usdmName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract, and only perpetual ones are labelled' };
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base === undefined ? otherQuote(/^(.+)USDC$/.exec(venueInstrument)?.[1]) : perpetualOf(base);
}

/** COIN-M names say the contract. Its value, which no message has, must be described or in the table. */
export function coinmName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract, and only perpetual ones are labelled' };
  return { type: 'to_describe', reason: 'is a contract whose value in dollars is in no message' };
}

/** Facts of a Binance USD-M perpetual: quantities in base units; limits and closing lag as on COIN-M, which sends alike. */
export function usdmInstrument(symbol: string, venueInstrument: string, channels: readonly Channel[]): PlayedInstrument {
  return {
    symbol,
    venue: 'binance-usdm',
    venueInstrument,
    channels,
    bookStalenessMs: 5_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 1_000,
  };
}
