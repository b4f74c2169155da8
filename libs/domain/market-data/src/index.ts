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
export { decodeEvent } from './decode-event';
export { EventDecodeError } from './wire-reader';
export { compareEvents, compareVenueIds, identityOf } from './compare-events';
export { addDecimals, compareDecimals, DecimalFormatError, divideDecimals, multiplyDecimals, normalizeDecimal } from './decimal';
export { inverseSize } from './inverse-size';
export { instrumentOf, instruments, UnknownSymbolError } from './instruments';
export type { Instrument, PlayedInstrument } from './instruments';
export { gapIdOf } from './gap-id';
export type { GapIdentity } from './gap-id';
export { firstShift, nearestShift, nextShift, passLengthMs, SHIFT_STEP_MS } from './pass-shift';
export type { RecordingSpan } from './pass-shift';
export { DEEP_LEVELS_MAX } from './deep-book';
export type { DeepBook } from './deep-book';
export { REJECTION_REASONS } from './rejections';
export type { RejectionCounts, RejectionReason } from './rejections';
export { outageEvent } from './log-writer';
export type { LogPlace, Outage, PlacedEvent } from './log-writer';
export { readRecordingLine, recordingLines, recordingSpan, SpanScan } from './recording-line';
export type { RecordingLine } from './recording-line';
export { WINDOW_MS } from './window';
export { TICK_MS } from './feed-clock';
export { recordingLog } from './recording-log';
export { PassPlayer, recordingPass } from './recording-pass';
export type { PassPlace, RecordingPass, RecordingPassInput } from './recording-pass';
export { EVENT_ROW_SCHEMA } from './row/event-row';
export type { BookRow, ContextRow, EventRow, FeedStatusRow, LevelRow, LiquidationRow, StatusRow, TickRow, TradeRow } from './row/event-row';
export { rowLine, rowOf } from './row/row-of';
export { eventOfRow, EventRowError } from './row/event-of-row';
export { openRecording, recordingFormats } from './recordings/open-recording';
export { recordingLineBatches } from './recordings/line-batches';
export { RecordingError, SeveralSymbolsError, UnknownFormatError } from './recordings/recording-errors';
export type { OpenRecording, RecordingFile, RecordingFormat, RecordingFormatId, RecordingTally } from './recordings/format';
