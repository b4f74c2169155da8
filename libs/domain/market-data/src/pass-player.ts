import { writeConnected, type Normalizer } from './normalizer';
import { FeedClock } from './feed-clock';
import { gapIdOf } from './gap-id';
import { LogWriter, type LogPlace, type PlacedEvent } from './log-writer';
import { SHIFT_STEP_MS, type RecordingSpan } from './pass-shift';
import type { RejectionCounts } from './rejections';

/** Where one pass of a recording stands in time and in the log. The events are a pure function of this and the messages. */
export interface PassPlace extends LogPlace {
  /** First and last times of the recording. */
  readonly span: RecordingSpan;
  /** Added to every time, a multiple of 10,000 ms. */
  readonly shiftMs: number;
  /** Exchange time (shifted) of the last message of the pass before; absent when this pass follows none: no seam then. */
  readonly previousLastExchangeMs?: number;
  /** The feed clock at which the next pass begins: ticks go on up to it, exclusive. */
  readonly endFeedClockMs: number;
}

/** The log of a pass: a trade of the time of the pass before, as a backlog holds them, is that one's, and left out. */
class PassLog extends LogWriter {
  leftOut = 0;

  constructor(
    { shiftMs, previousLastExchangeMs, ...place }: PassPlace,
    private readonly afterMs = previousLastExchangeMs === undefined ? -Infinity : previousLastExchangeMs - shiftMs,
  ) {
    super(place, true, shiftMs);
  }

  override trade(facts: Parameters<LogWriter['trade']>[0]): void {
    if (facts.exchangeTsMs > this.afterMs) super.trade(facts);
    else this.leftOut++;
  }
}

/**
 * One pass, message by message: `start` once, `accept` for each message (without a receive time: a broken one), `finish` once. Each
 * gives the events that it brings about.
 *
 * At the pass's start: `seam` (when another came before), `connected`. Then the messages, and a tick at every multiple of 250 ms of the
 * feed clock from the first at or after the first message on, through holes and up to the next pass. A tick at the receive
 * time of a message comes before it; a book that the tick makes due comes before the tick. The book that still waits at the
 * end, and the end of a gap that is still open, come last.
 */
export class PassPlayer<Message> {
  private readonly log: PassLog;
  private readonly normalizer: Normalizer<Message>;
  private readonly clock: FeedClock;

  /** @throws RangeError when the shift is not a multiple of 10 s. */
  constructor(
    private readonly place: PassPlace,
    normalizerOf: (place: LogPlace, log: LogWriter) => Normalizer<Message>,
  ) {
    const { shiftMs, span } = place;
    if (shiftMs % SHIFT_STEP_MS !== 0) throw new RangeError(`the shift is not a multiple of ${SHIFT_STEP_MS} ms: ${shiftMs}`);
    this.log = new PassLog(place);
    this.normalizer = normalizerOf(place, this.log);
    this.clock = new FeedClock(this.log, this.normalizer, span.firstReceivedMs);
  }

  /** Counts of what was rejected so far. */
  get rejections(): Readonly<RejectionCounts> {
    this.normalizer.rejections.old_time += this.log.leftOut;
    this.log.leftOut = 0;
    return this.normalizer.rejections;
  }

  /** The feed clock, not shifted. */
  get clockMs(): number {
    return this.log.clockMs;
  }

  start(): readonly PlacedEvent[] {
    writeSeam(this.place, this.log);
    writeConnected(this.place, this.log);
    return this.log.take();
  }

  /** Something was received that can't be taken: it moves nothing. */
  refuse(reason: keyof RejectionCounts): void {
    this.normalizer.rejections[reason]++;
  }

  accept(receivedMs: number, message: Message): readonly PlacedEvent[] {
    this.clock.advanceTo(receivedMs);
    this.normalizer.accept(message);
    return this.log.take();
  }

  finish(): readonly PlacedEvent[] {
    this.clock.finish(this.place.endFeedClockMs - this.place.shiftMs);
    this.normalizer.finish();
    return this.log.take();
  }
}

/** Logs that this pass follows another. */
export function writeSeam({ instrument, pass, span, shiftMs, previousLastExchangeMs: startMs }: PassPlace, log: LogWriter): void {
  if (startMs === undefined) return;
  const { venue, symbol } = instrument;
  const gapId = gapIdOf({ venue, symbol, pass, reason: 'recording_seam', startMs, lastVenueId: '' });
  log.status({ type: 'seam', gapId, startMs: startMs - shiftMs, endMs: span.firstExchangeMs });
}
