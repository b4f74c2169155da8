import type { Logger } from '@market-state/logging';
import { createBinanceSource } from './binance/binance-source';
import { createHyperliquidSource } from './hyperliquid/hyperliquid-source';
import type { VenueClock } from './venue-clock';
import type { VenueSource } from './venue-source';

/** What every source is made with. */
export interface VenueSourceOptions {
  /** `ws://` or `wss://`, with the path of the socket. */
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly logger: Logger;
  /** US dollars that a contract stands for, by instrument: a venue that lists another size is not played. */
  readonly contractValues?: Readonly<Record<string, string>>;
  /** `systemClock` unless given. */
  readonly clock?: VenueClock;
}

/** How to reach each venue that can be played live, by its name in the registry of venues. */
const sources: Readonly<Record<string, (options: VenueSourceOptions) => VenueSource>> = {
  simulated: (options) => createHyperliquidSource({ ...options, simulated: true }),
  hyperliquid: createHyperliquidSource,
  'binance-coinm': (options) => createBinanceSource({ ...options, market: 'coinm' }),
  'binance-usdm': (options) => createBinanceSource({ ...options, market: 'usdm' }),
};

/** The source of a venue's live messages. @throws Error when none is known */
export function createVenueSource(venue: string, options: VenueSourceOptions): VenueSource {
  const create = sources[venue];
  if (create === undefined) throw new Error(`no live source of ${venue} is known`);
  return create(options);
}
