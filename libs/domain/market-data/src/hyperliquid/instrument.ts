import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import type { MultipliedName } from '../listing/listed-perpetual';
import { perpetualOf, type VenueName } from '../venue-name';

const SPOT = /^@[0-9]+$|\//;
const BUILDERS = /^([^:]+):(.+)$/;

const THOUSAND = /^k([A-Z][A-Z0-9]*)$/;

/** A leading lower-case `k` is a thousand coins: `kPEPE`. */
export function readCoin(coin: string): MultipliedName {
  const base = THOUSAND.exec(coin)?.[1];
  return base === undefined ? { base: coin.toUpperCase(), multiplier: '1' } : { base, multiplier: '1000' };
}

/**
 * `BTC` maps to `BTCUSD-PERP`, `kPEPE` to `PEPEUSD-PERP`. A builder's coin (`xyz:TSLA`) can collide with another name.
 */
export function hyperliquidName(coin: string): VenueName {
  if (SPOT.test(coin)) return { type: 'not_played', reason: 'is a spot pair; only perpetuals are labelled' };
  const [, builder, own = ''] = BUILDERS.exec(coin) ?? [];
  if (builder === undefined) return perpetualOf(readCoin(coin).base);
  const read = perpetualOf(own.toUpperCase());
  const reason = `is a perpetual of builder ${builder}, whose names can collide with others`;
  return read.type === 'symbol' ? { type: 'to_describe', reason, base: own.toUpperCase() } : { type: 'to_describe', reason };
}

/**
 * Books arrive about every 0.5 s, but every 5 s at the default pace: stale after twice that. All but 2 of 3,739
 * archived frames arrived within the closing lag.
 */
export function hyperliquidInstrument(symbol: string, coin: string, channels: readonly Channel[]): PlayedInstrument {
  return {
    symbol,
    venue: 'hyperliquid',
    venueInstrument: coin,
    channels,
    bookStalenessMs: 10_000,
    tradeStalenessMs: 60_000,
    contextStalenessMs: 120_000,
    closingLagMs: 2_000,
  };
}
