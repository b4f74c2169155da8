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
export { canonicalBytes, canonicalStream, encodeEvent } from './encode-event';
export { parseUtcInstant } from './utc-instant';
export { decodeEvent, decodeEventHead, type EventHead } from './decode-event';
export { EventDecodeError } from './wire-reader';
export { ClockOffsets } from './clock-offsets';
export { compareEvents, compareVenueIds, identityOf } from './compare-events';
export { addDecimals, compareDecimals, divideDecimals, multiplyDecimals } from './decimal';
export { inverseSize } from './inverse-size';
export { instrumentOf, instrumentRows } from './instruments';
export { InstrumentDescriptionError, readInstrumentDescription } from './instrument-description';
export { FEED_NAMES, InstrumentTableError, parseInstrumentRows } from './instrument-rows';
export { fundingHoursOf, fundingOf } from './funding-rate';
export { contractValuesOf, type DescribedInstrument, type FeedName, type InstrumentRow, type PlayedInstrument } from './played-instrument';
export { UnknownSymbolError } from './unknown-symbol-error';
export { addressVariables, liveVenueOf, urlsBelow, venueAnswersOf, venueOf, venues } from './venues';
export type { VenueUrls } from './venues';
export type { ExpectedMessages } from './live/expected-messages';
export { servedInstruments, ServedInstrumentsError } from './served-instruments';
export type { ServedInstrument } from './served-instruments';
export { readServedSettings } from './served-settings';
export { readShardSettings, type ShardRule } from './shards';
export { bundledFiles } from './recording-files';
export type { FilesBySymbol } from './recording-files';
export { sha256Hex } from '#hash';
export { bytesOf, textOf } from '#bytes';
export { crockford, fromBase64, fromHex, toBase64 } from './text-forms';
export { gapIdOf } from './gap-id';
export { firstShift, nearestShift, nextShift, SHIFT_STEP_MS } from './pass-shift';
export type { RecordingSpan } from './pass-shift';
export { DEEP_LEVELS_MAX } from './deep-book';
export type { DeepBook } from './deep-book';
export { noRejections } from './rejections';
export type { RejectionCounts } from './rejections';
export { outageEvent } from './log-writer';
export type { PlacedEvent } from './log-writer';
export { readRecordingLine, recordingLines, recordingSpan } from './recording-line';
export { LivePlayer } from './live/live-player';
export type { LiveStart } from './live/live-start';
export { LogTailScan } from './live/log-tail';
export type { LogTail } from './live/log-tail';
export { WINDOW_MS } from './window';
export { recordingLog } from './recording-log';
export { recordingPass } from './recording-pass';
export { EVENT_ROW_SCHEMA } from './row/event-row';
export { rowLine } from './row/row-of';
export { RowFields } from './row/row-fields';
export { eventOfRow, EventRowError } from './row/event-of-row';
export { CSV_HEADERS } from './csv/columns';
export { openRecording } from './recordings/open-recording';
export { recordingLineBatches } from './recordings/line-batches';
export { RecordingError, SeveralSymbolsError, UnknownFormatError } from './recordings/recording-errors';
export type { OpenRecording } from './recordings/format';
export type { RecordingFile } from './recordings/recording-file';
export type { RecordingTally } from './recordings/recording-tally';
export { ROW_FLAG } from './row-flag';
export { archiveLayoutOf, archiveLogColumns } from './archive/archive-columns';
export type { ArchiveCell } from './archive/archive-columns';
export { archiveRow, storedVenueId } from './archive/archive-row';
export { eventOfColumns } from './archive/event-of-columns';
export type { DataChannel, NamedCells } from './archive/event-of-columns';
export { type ChannelDay, dayCondition, gapsOfDay, observedMs } from './day-condition';
export { type LedgerLine, lossOf } from './loss-of';
export { msInGaps } from './ms-in-gaps';
export { BOOK_VALUES, compareBook, type MissingSpan } from './audit/compare-book';
export { CANDLE_VALUES, compareCandles } from './audit/compare-candles';
export { type Asked, compareContext } from './audit/compare-context';
export { AUDIT_MEASURES, type AuditMeasure, type Comparison, nothingCompared, type NotComparedReason } from './audit/comparison';
export { differenceIdOf } from './audit/difference-id';
export { RecordedBestPrices } from './audit/recorded-best-prices';
export type { BestPrices, VenueContext } from './audit/venue-answers';
