export { CHANNELS, channelOf, WINDOW_MS } from './event';
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
export { canonicalBytes, canonicalStream, encodeEvent } from './encode-event';
export { parseUtcInstant } from './receive-time';
export { decodeEvent, decodeEventHead, type EventHead } from './decode-event';
export { EventDecodeError } from './wire-reader';
export { ClockOffsets } from './clock-offsets';
export { compareEvents, compareVenueIds, identityOf } from './compare-events';
export { addDecimals, compareDecimals, divideDecimals, multiplyDecimals } from './decimal';
export { inverseSize } from './inverse-size';
export {
  instrumentOf,
  instrumentRows,
  FEED_NAMES,
  InstrumentTableError,
  instrumentTableText,
  parseInstrumentRows,
} from './instrument-rows';
export { InstrumentDescriptionError, readInstrumentDescription } from './instrument-description';
export { fundingHoursOf, fundingOf } from './funding-rate';
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
export { addressVariables, liveVenueOf, restAddressOf, urlsBelow, venueAnswersOf, venueOf, venues } from './venues';
export type { VenueUrls } from './venues';
export { ListingError } from './listing/listed-perpetual';
export type { ListedPerpetual, ListingAnswers, ListingRequest, VenueListing } from './listing/listed-perpetual';
export { type Discovery, discoverInstruments, needsDiscovery, listingReasons } from './listing/discover-instruments';
export { chooseSymbols } from './listing/choose-symbols';
export type { ExpectedMessages } from './live/expected-messages';
export { servedInstruments, ServedInstrumentsError, readServedSettings, bundledFiles } from './served-settings';
export type { ServedInstrument, FilesBySymbol } from './served-settings';
export { readShardSettings, type ShardRule } from './shards';
export { bytesOf, sha256Hex, textOf } from '#bytes';
export { crockford, fromBase64, fromHex, toBase64 } from './text-forms';
export { gapIdOf } from './gap-id';
export { firstShift, nearestShift, nextShift, SHIFT_STEP_MS, type RecordingSpan } from './pass-player';
export { DEEP_LEVELS_MAX } from './deep-book';
export type { DeepBook } from './deep-book';
export { MARKET_FORM, marketFields, marketOf, readMarket, SECONDARY_MARKET_FORM, SYMBOL_FORM, type Market } from './market';
export { noRejections } from './rejections';
export type { RejectionCounts } from './rejections';
export { outageEvent } from './log-writer';
export type { PlacedEvent } from './log-writer';
export { readRecordingLine, recordingLines, recordingSpan } from './recording-line';
export { LivePlayer } from './live/live-player';
export type { LiveStart } from './live/all-channel-gap';
export { LogTailScan } from './live/log-tail';
export type { LogTail } from './live/log-tail';
export { recordingLog, recordingPass } from './recording-log';
export { EVENT_ROW_SCHEMA } from './row/event-row';
export { rowLine } from './row/row-of';
export { RowFields } from './row/row-fields';
export { eventOfRow, EventRowError } from './row/event-of-row';
export { CSV_HEADERS } from './csv/columns';
export { openRecording } from './recordings/open-recording';
export { recordingLineBatches } from './recordings/line-batches';
export { RecordingError, SeveralSymbolsError, UnknownFormatError } from './recordings/recording-errors';
export type { OpenRecording } from './recordings/format';
export type { RecordingFile } from './recordings/peeked-file';
export type { RecordingTally } from './recordings/recording-notes';
export { ROW_FLAG, archiveRow, storedVenueId, archiveLayoutOf, archiveLogColumns, eventOfColumns } from './archive/archive-row';
export type { ArchiveCell, DataChannel, NamedCells } from './archive/archive-row';
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
export type { BestPrices, VenueContext } from './audit/venue-answers';
