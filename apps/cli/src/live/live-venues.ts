import { silentLogger } from '@market-state/logging';
import { BINANCE_URLS, createBinanceSource, createHyperliquidSource, type VenueSource } from '@market-state/venues';

/** Venues whose live messages are known. */
export const LIVE_VENUES = ['hyperliquid', 'binance-coinm', 'binance-usdm', 'simulated'] as const;
export type LiveVenueName = (typeof LIVE_VENUES)[number];

const HYPERLIQUID_URL = 'https://api.hyperliquid.xyz';

/**
 * The source of a venue's live messages.
 * @param url its address, where it is not the public one
 */
export function openSource(venue: LiveVenueName, url: string | undefined): VenueSource {
  const logger = silentLogger();
  switch (venue) {
    case 'hyperliquid':
    case 'simulated': {
      const restUrl = url ?? HYPERLIQUID_URL;
      return createHyperliquidSource({
        restUrl,
        wsUrl: new URL('/ws', webSocketUrl(restUrl)).href,
        logger,
        simulated: venue === 'simulated',
      });
    }
    case 'binance-coinm':
    case 'binance-usdm': {
      const market = venue === 'binance-coinm' ? 'coinm' : 'usdm';
      const urls = url === undefined ? BINANCE_URLS[market] : { restUrl: url, wsUrl: webSocketUrl(url) };
      return createBinanceSource({ market, ...urls, logger });
    }
  }
}

function webSocketUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}
