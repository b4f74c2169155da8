export type { ConnectionCounts, MessageBatch, OverflowReport, RawMessage, VenueConnection, VenueSource } from './venue-source';
export { VenueError, type VenueFault } from './venue-error';
export { systemClock, type VenueClock } from './venue-clock';
export { CONNECTION_LIMITS, RECONNECT, type ConnectionLimits } from './limits';
export { runConnection, type ConnectionEvent, type RunConnectionOptions } from './run-connection';
export { restText, type RestRequest } from './rest-text';
export { createHyperliquidSource, type HyperliquidSourceOptions } from './hyperliquid/hyperliquid-source';
export { hyperliquidInfo, type InfoRequest } from './hyperliquid/info';
