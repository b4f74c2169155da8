export type { ConnectionCounts, MessageBatch, OverflowReport, RawMessage, VenueConnection, VenueSource } from './venue-source';
export { VenueError, type VenueFault } from './venue-error';
