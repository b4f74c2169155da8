import type { Channel } from '../event';
import type { PlayedInstrument } from '../played-instrument';

const PERPETUAL = /^([A-Z0-9]{1,30})USDT$/;

/** `BTCUSDT` is `BTCUSD-PERP`. Only USDT-margined perpetuals have a symbol; delivery contracts (`BTCUSDT_240927`) do not. */
export function usdmSymbolOf(venueInstrument: string): string | undefined {
  const base = PERPETUAL.exec(venueInstrument)?.[1];
  return base && `${base}USD-PERP`;
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
