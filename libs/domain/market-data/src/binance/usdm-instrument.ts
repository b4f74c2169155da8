import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { multipliedName } from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';

const DELIVERY = /_[0-9]{6}$/;
const PERPETUAL = /^(.+)USDT$/;

/**
 * `BTCUSDT` maps to `BTCUSD-PERP`, `1000PEPEUSDT` to `PEPEUSD-PERP`. `BTCUSDC` can be mapped explicitly; delivery
 * contracts (`BTCUSDT_240927`) are not played.
 */
export function usdmName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract; only perpetuals are labelled' };
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base === undefined ? otherQuote(/^(.+)USDC$/.exec(venueInstrument)?.[1]) : perpetualOf(multipliedName(base).base);
}

/** The contract value appears in no message, so it must be configured or in the table. */
export function coinmName(venueInstrument: string): VenueName {
  if (DELIVERY.test(venueInstrument)) return { type: 'not_played', reason: 'is a delivery contract; only perpetuals are labelled' };
  return { type: 'to_describe', reason: 'is a contract whose US dollar value appears in no message' };
}

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
