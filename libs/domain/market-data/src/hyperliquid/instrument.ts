import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';
import { perpetualOf, type VenueName } from '../venue-name';

const SPOT = /^@[0-9]+$|\//;
/** A perpetual that a builder deployed: the builder's exchange, and the coin there. */
const BUILDERS = /^([^:]+):(.+)$/;

/** `BTC` is `BTCUSD-PERP`, `kPEPE` is `KPEPEUSD-PERP`. A builder's coin (`xyz:TSLA`) may have the name of another. */
export function hyperliquidName(coin: string): VenueName {
  if (SPOT.test(coin)) return { type: 'not_played', reason: 'is a spot pair, and only perpetual contracts are labelled' };
  const [, builder, own = ''] = BUILDERS.exec(coin) ?? [];
  if (builder === undefined) return perpetualOf(coin.toUpperCase());
  const read = perpetualOf(own.toUpperCase());
  const reason = `is a perpetual of the builder ${builder}, whose names are its own`;
  return read.type === 'symbol' ? { type: 'to_describe', reason, base: own.toUpperCase() } : { type: 'to_describe', reason };
}

/**
 * Facts of a Hyperliquid perpetual. Books come every half second or so (88 to 2,791 ms apart in the recordings), but a
 * subscription at the default pace may get them only every 5 s: twice that is stale, so that one slow push is not. Trades and
 * context as elsewhere. Closing lag 2 s: frames arrive 0.1 to 1.8 s after their time, but for two of the 3,739 of the archive.
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
