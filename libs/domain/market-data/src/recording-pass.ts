import { BinanceNormalizer } from './binance/normalizer';
import { parseMessage } from './binance/parse-message';
import { writeConnected } from './connected';
import { FeedClock } from './feed-clock';
import { gapIdOf } from './gap-id';
import { LogWriter, type LogPlace, type PlacedEvent } from './log-writer';
import { SHIFT_STEP_MS, type RecordingSpan } from './pass-shift';
import { type RecordingLine, readRecordingLine } from './recording-line';
import type { RejectionCounts } from './rejections';

/** Where one pass of a recording stands in time and in the log. The events are a pure function of this and the lines. */
export interface PassPlace extends LogPlace {
  /** `recordingSpan` of the lines. */
  readonly span: RecordingSpan;
  /** Added to every time, a multiple of 10,000 ms. */
  readonly shiftMs: number;
  /** Exchange time (shifted) of the last message of the pass before; absent when this pass follows none: no seam then. */
  readonly previousLastExchangeMs?: number;
  /** The feed clock at which the next pass begins: ticks go on up to it, exclusive. */
  readonly endFeedClockMs: number;
}

/** A whole pass. */
export interface RecordingPassInput extends PassPlace {
  /** The lines of the recording's files, in order. */
  readonly lines: Iterable<string>;
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

/**
 * Plays one pass of a Binance COIN-M recording, lazily: nothing is computed before `events` is read.
 * @throws RangeError when the shift is not a multiple of 10 s.
 */
export function recordingPass(input: RecordingPassInput): RecordingPass {
  const player = new PassPlayer(input);
  return { events: play(input.lines, player), rejections: player.rejections };
}

function* play(lines: Iterable<string>, player: PassPlayer): Generator<PlacedEvent, void, undefined> {
  yield* player.start();
  for (const line of lines) {
    for (const entry of player.accept(readRecordingLine(line))) yield entry;
  }
  yield* player.finish();
}

/**
 * The same pass for a caller that gets its lines bit by bit: `start` once, `accept` for each line as `readRecordingLine` reads
 * it (undefined: a broken one), `finish` once. Each gives the events that it brings about; one after the other they are those
 * of `recordingPass`.
 */
export class PassPlayer {
  private readonly log: LogWriter;
  private readonly normalizer: BinanceNormalizer;
  private readonly clock: FeedClock;

  /** @throws RangeError when the shift is not a multiple of 10 s. */
  constructor(private readonly place: PassPlace) {
    const { shiftMs, span } = place;
    if (shiftMs % SHIFT_STEP_MS !== 0) throw new RangeError(`the shift is not a multiple of ${SHIFT_STEP_MS} ms: ${shiftMs}`);
    this.log = new LogWriter(place, true, shiftMs);
    this.normalizer = new BinanceNormalizer(place, 0, this.log);
    this.clock = new FeedClock(this.log, this.normalizer, span.firstReceivedMs);
  }

  /** Counts of what was rejected so far. */
  get rejections(): Readonly<RejectionCounts> {
    return this.normalizer.rejections;
  }

  start(): readonly PlacedEvent[] {
    writeSeam(this.place, this.log);
    writeConnected(this.place, this.log);
    return this.log.take();
  }

  accept(read: RecordingLine | undefined): readonly PlacedEvent[] {
    if (read === undefined) {
      this.normalizer.rejections.broken_line++;
      return [];
    }
    this.clock.advanceTo(read.receivedMs);
    this.normalizer.accept(parseMessage(read.text, read.messageStart, this.place.instrument.venueInstrument, 'coinm'));
    return this.log.take();
  }

  finish(): readonly PlacedEvent[] {
    this.clock.finish(this.place.endFeedClockMs - this.place.shiftMs);
    this.normalizer.finish();
    return this.log.take();
  }
}

function writeSeam({ instrument, pass, span, shiftMs, previousLastExchangeMs: startMs }: PassPlace, log: LogWriter): void {
  if (startMs === undefined) return;
  const { venue, symbol } = instrument;
  const gapId = gapIdOf({ venue, symbol, pass, reason: 'recording_seam', startMs, lastVenueId: '' });
  log.status({ type: 'seam', gapId, startMs: startMs - shiftMs, endMs: span.firstExchangeMs });
}
