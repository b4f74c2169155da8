export {
  CHANNELS,
  channelOf,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  WINDOW_MS,
  type BookEvent,
  type BookLevel,
  type Channel,
  type ContextEvent,
  type EventKind,
  type FeedStatus,
  type FeedStatusEvent,
  type GapReason,
  type LiquidationEvent,
  type MarketEvent,
  type SourceKind,
  type TickEvent,
  type TradeEvent,
} from './event';
export { canonicalBytes, canonicalStream, encodeEvent } from './encode-event';
export { parseUtcInstant, crockford, fromBase64, fromHex, toBase64 } from './text-forms';
export { decodeEvent, decodeEventHead, type EventHead } from './decode-event';
export { EventDecodeError } from './wire-reader';
export { ClockOffsets } from './clock-offsets';
export { compareEvents, compareVenueIds, identityOf } from './compare-events';
export { addDecimals, compareDecimals, divideDecimals, multiplyDecimals, inverseSize, fundingHoursOf, fundingOf } from './decimal';
export {
  instrumentOf,
  instrumentRows,
  FEED_NAMES,
  InstrumentTableError,
  instrumentTableText,
  parseInstrumentRows,
} from './instrument-rows';
export { toSentence } from './issue-sentences';
export { InstrumentDescriptionError, readInstrumentDescription } from './instrument-description';
export {
  contractValuesOf,
  type DescribedInstrument,
  type FeedName,
  IMPORT,
  type InstrumentFacts,
  type InstrumentRow,
  type PlayedInstrument,
  UnknownSymbolError,
} from './played-instrument';
export { addressVariables, liveVenueOf, restAddressOf, urlsBelow, venueAnswersOf, venueOf, venues, type VenueUrls } from './venues';
export {
  ListingError,
  type ListedPerpetual,
  type ListingAnswers,
  type ListingRequest,
  type VenueListing,
} from './listing/listed-perpetual';
export { type Discovery, discoverInstruments, needsDiscovery, listingReasons } from './listing/discover-instruments';
export { chooseSymbols } from './listing/choose-symbols';
export type { ExpectedMessages, BestPrices, VenueContext } from './audit/venue-answers';
export {
  servedInstruments,
  ServedInstrumentsError,
  readServedSettings,
  bundledFiles,
  type ServedInstrument,
  type FilesBySymbol,
} from './served-settings';
export { readShardSettings, type ShardRule } from './shards';
export { bytesOf, sha256Hex, textOf } from '#bytes';
export { gapIdOf } from './gap-id';
export { firstShift, nearestShift, nextShift, SHIFT_STEP_MS, type RecordingSpan } from './pass-player';
export { DEEP_LEVELS_MAX, type DeepBook } from './book-side';
export { MARKET_FORM, marketFields, marketOf, readMarket, SECONDARY_MARKET_FORM, SYMBOL_FORM, type Market } from './market';
export { noRejections, type RejectionCounts } from './rejections';
export { outageEvent, type PlacedEvent } from './log-writer';
export { readRecordingLine, recordingLines, recordingSpan } from './recording-line';
export { LivePlayer } from './live/live-player';
export type { LiveStart } from './live/all-channel-gap';
export { LogTailScan, type LogTail } from './live/log-tail';
export { recordingLog, recordingPass } from './recording-log';
export { EVENT_ROW_SCHEMA, rowLine } from './row/event-row';
export { RowFields } from './row/row-fields';
export { eventOfRow, EventRowError } from './row/event-of-row';
export { CSV_HEADERS } from './csv/columns';
export { openRecording } from './recordings/open-recording';
export { recordingLineBatches } from './recordings/line-batches';
export { RecordingError, SeveralSymbolsError, UnknownFormatError, type RecordingTally } from './recordings/recording-notes';
export type { OpenRecording } from './recordings/format';
export type { RecordingFile } from './recordings/peeked-file';
export {
  ROW_FLAG,
  archiveRow,
  storedVenueId,
  archiveLayoutOf,
  archiveLogColumns,
  eventOfColumns,
  type ArchiveCell,
  type DataChannel,
  type NamedCells,
} from './row/archive-row';
export { type ChannelDay, dayCondition, gapsOfDay, observedMs, type LedgerLine, lossOf, msInGaps } from './day-condition';
export {
  BOOK_VALUES,
  compareBook,
  type MissingSpan,
  RecordedBestPrices,
  AUDIT_MEASURES,
  type AuditMeasure,
  type Comparison,
  nothingCompared,
  type NotComparedReason,
  differenceIdOf,
  CANDLE_VALUES,
  compareCandles,
  type Requested,
  compareContext,
} from './audit/comparison';
