export { createBinanceSource } from './binance/binance-source';
export type { BinanceMarket } from './binance/routes';
export { createHyperliquidSource } from './hyperliquid-source';
export { createVenueAnswers, createVenueSource, type VenueAnswers } from './live-venues';
export { listingAnswers, restText } from './rest-text';
export { createRestorer, type Restorer } from './restore-book';
export { type ConnectionEvent, runConnection } from './run-connection';
export { CONNECTION_LIMITS } from './venue-socket';
export {
  type ListingChange,
  type MessageBatch,
  type RawMessage,
  type VenueClock,
  type VenueConnection,
  VenueError,
  type VenueSource,
} from './venue-source';
