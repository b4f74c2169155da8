export { CHANNELS, channelOf } from './event';
export type {
  BookEvent,
  BookLevel,
  Channel,
  ContextEvent,
  EventKind,
  FeedStatus,
  FeedStatusEvent,
  GapReason,
  LiquidationEvent,
  MarketEvent,
  SourceKind,
  TickEvent,
  TradeEvent,
} from './event';
export { canonicalBytes, encodeEvent } from './encode-event';
export { decodeEvent } from './decode-event';
export { EventDecodeError } from './wire-reader';
export { compareEvents, compareVenueIds, identityOf } from './compare-events';
