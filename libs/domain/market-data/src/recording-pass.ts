import { CoinmNormalizer } from './binance-coinm/normalizer';
import { gapIdOf } from './gap-id';
import { LogWriter, type LogPlace, type PlacedEvent } from './log-writer';
import type { RecordingSpan } from './pass-shift';
import { readRecordingLine } from './recording-line';
import type { RejectionCounts } from './rejections';

/** Feed clock between two ticks. */
export const TICK_MS = 250;

/** One pass of a recording. The events are a pure function of this. */
export interface RecordingPassInput extends LogPlace {
  /** The lines of the recording's files, in order. */
  readonly lines: Iterable<string>;
  /** `recordingSpan` of the same lines. */
  readonly span: RecordingSpan;
  /** Added to every time, a multiple of 10,000 ms. */
  readonly shiftMs: number;
  /** Exchange time (shifted) of the last message of the pass before; absent when this pass follows none: no seam then. */
  readonly previousLastExchangeMs?: number;
  /** The feed clock at which the next pass begins: ticks go on up to it, exclusive. */
  readonly endFeedClockMs: number;
}

/** A pass under way. */
export interface RecordingPass {
  /**
   * The events in log order. At the pass's start: `seam` (when another came before), `connected`. Then the messages, and a
   * tick at every multiple of 250 ms of the feed clock from the first at or after the first message on, through holes and
   * up to the next pass. A tick at the receive time of a message comes before it; a book that the tick makes due comes
   * before the tick. The book that still waits at the end, and the end of a gap that is still open, come last.
   */
  readonly events: Generator<PlacedEvent, void, undefined>;
  /** Counts of what was rejected up to where `events` was read. */
  readonly rejections: Readonly<RejectionCounts>;
}

/** Plays one pass of a Binance COIN-M recording, lazily: nothing is computed before `events` is read. */
export function recordingPass(input: RecordingPassInput): RecordingPass {
  const log = new LogWriter(input);
  const normalizer = new CoinmNormalizer(input, input.shiftMs, log);
  return { events: play(input, log, normalizer), rejections: normalizer.rejections };
}

function* play(input: RecordingPassInput, log: LogWriter, normalizer: CoinmNormalizer): Generator<PlacedEvent, void, undefined> {
  const { lines, span, shiftMs, endFeedClockMs } = input;
  log.clockMs = span.firstReceivedMs + shiftMs;
  writeStart(input, log);
  yield* log.take();
  let nextTickMs = Math.ceil(log.clockMs / TICK_MS) * TICK_MS;
  for (const line of lines) {
    const read = readRecordingLine(line);
    if (read === undefined) {
      normalizer.rejections.broken_line++;
      continue;
    }
    const receivedMs = Math.max(read.receivedMs + shiftMs, log.clockMs);
    for (; nextTickMs <= receivedMs; nextTickMs += TICK_MS) {
      writeTick(nextTickMs, log, normalizer);
      yield* log.take();
    }
    log.clockMs = receivedMs;
    normalizer.accept(read.text);
    for (const entry of log.take()) yield entry;
  }
  for (; nextTickMs < endFeedClockMs; nextTickMs += TICK_MS) {
    writeTick(nextTickMs, log, normalizer);
    yield* log.take();
  }
  log.clockMs = Math.max(log.clockMs, endFeedClockMs);
  normalizer.finish();
  yield* log.take();
}

function writeTick(clockMs: number, log: LogWriter, normalizer: CoinmNormalizer): void {
  log.clockMs = clockMs;
  normalizer.tick();
  log.tick();
}

function writeStart(input: RecordingPassInput, log: LogWriter): void {
  const { instrument, pass, span, shiftMs, previousLastExchangeMs: startMs } = input;
  const { venue, symbol, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = instrument;
  if (startMs !== undefined) {
    const gapId = gapIdOf({ venue, symbol, pass, reason: 'recording_seam', startMs, lastVenueId: '' });
    log.status({ type: 'seam', gapId, startMs, endMs: span.firstExchangeMs + shiftMs });
  }
  log.status({
    type: 'connected',
    channels,
    bookStalenessMs,
    tradeStalenessMs,
    contextStalenessMs,
    closingLagMs,
    sourceKind: 'recorded',
  });
}
