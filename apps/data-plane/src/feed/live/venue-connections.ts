import { type InstrumentRow, liveVenueOf, type ServedInstrument } from '@market-state/market-data';
import type { Logger } from '@market-state/logging';
import { createBinanceSource, createHyperliquidSource, type VenueClock, type VenueSource } from '@market-state/venues';
import type { FeedConfig } from '../../config';

/** One connection to keep, and the instruments that it carries. */
export interface KeptConnection {
  /** Names it in logs and metrics. */
  readonly venue: string;
  readonly source: VenueSource;
  readonly rows: readonly InstrumentRow[];
  /** The venue's names of the instruments that a line speaks of; empty where it names none. */
  readonly namesOf: (line: string) => readonly string[];
}

/** The connections that the live symbols need: one for each venue, and each market of it. */
export function venueConnections(config: FeedConfig, clock: VenueClock, logger: Logger): KeptConnection[] {
  const rows = config.served.filter(isLive).map(({ row }) => row);
  return [...new Set(rows.map(({ venue }) => venue))].map((venue) => ({
    venue,
    source: sourceOf(venue, config, clock, logger),
    rows: rows.filter((row) => row.venue === venue),
    namesOf: liveVenueOf(venue).namesOf,
  }));
}

/** Played from a venue, not from a recording. */
export function isLive(served: ServedInstrument): served is ServedInstrument & { readonly row: InstrumentRow } {
  return served.feed !== 'recording' && served.row !== undefined;
}

function sourceOf(venue: string, config: FeedConfig, clock: VenueClock, logger: Logger): VenueSource {
  switch (venue) {
    case 'simulated':
      return createHyperliquidSource({
        wsUrl: `ws://${config.SIMULATED_VENUE_ADDRESS}/ws`,
        restUrl: `http://${config.SIMULATED_VENUE_ADDRESS}`,
        logger,
        clock,
        simulated: true,
      });
    case 'hyperliquid':
      return createHyperliquidSource({ wsUrl: config.HYPERLIQUID_WS_URL, restUrl: config.HYPERLIQUID_REST_URL, logger, clock });
    case 'binance-coinm':
      return createBinanceSource({
        market: 'coinm',
        wsUrl: config.BINANCE_COINM_WS_URL,
        restUrl: config.BINANCE_COINM_REST_URL,
        logger,
        clock,
      });
    case 'binance-usdm':
      return createBinanceSource({
        market: 'usdm',
        wsUrl: config.BINANCE_USDM_WS_URL,
        restUrl: config.BINANCE_USDM_REST_URL,
        logger,
        clock,
      });
    default:
      throw new Error(`no live source of ${venue} is known`);
  }
}
