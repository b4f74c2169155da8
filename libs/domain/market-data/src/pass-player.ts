import { writeConnected, type Normalizer, FeedClock } from './normalizer';
import { gapIdOf } from './gap-id';
import { LogWriter, type LogPosition, type PlacedEvent } from './log-writer';
import type { RejectionCounts } from './rejections';
import { WINDOW_MS } from './event';

/** Shifts are multiples of this, to preserve window alignment. */
export const SHIFT_STEP_MS = WINDOW_MS;

/** Original times, epoch milliseconds. */
export interface RecordingSpan {
  readonly firstReceivedMs: number;
  readonly lastReceivedMs: number;
  readonly firstExchangeMs: number;
  readonly lastExchangeMs: number;
}

/** Largest shift that receives the first message at or before `startMs`. */
export function firstShift(span: RecordingSpan, startMs: number): number {
  return Math.floor((startMs - span.firstReceivedMs) / SHIFT_STEP_MS) * SHIFT_STEP_MS;
}

/** Shift that receives the first message nearest to `startMs` (`FEED_START`); ties go to the later one. */
export function nearestShift(span: RecordingSpan, startMs: number): number {
  return Math.floor((startMs - span.firstReceivedMs) / SHIFT_STEP_MS + 0.5) * SHIFT_STEP_MS;
}

/** Smallest multiple of 10 s after which all receive and exchange times follow the previous pass. */
function passLengthMs(span: RecordingSpan): number {
  const lengthMs = Math.max(span.lastReceivedMs - span.firstReceivedMs, span.lastExchangeMs - span.firstExchangeMs);
  return (Math.floor(lengthMs / SHIFT_STEP_MS) + 1) * SHIFT_STEP_MS;
}

export function nextShift(span: RecordingSpan, shiftMs: number): number {
  return shiftMs + passLengthMs(span);
}

export interface PassPosition extends LogPosition {
  readonly span: RecordingSpan;
  /** Added to every time; a multiple of 10,000. */
  readonly shiftMs: number;
  /** Shifted exchange time of the previous pass's last message; absent without a previous pass (no seam). */
  readonly previousLastExchangeMs?: number;
  readonly endFeedClockMs: number;
}

/** Leaves out backlog trades that fall into the previous pass. */
class PassLog extends LogWriter {
  leftOut = 0;

  constructor(
    { shiftMs, previousLastExchangeMs, ...place }: PassPosition,
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
 * Call `start`, `accept` per message, `finish`.
 * Order: `seam` after another pass, `connected`, then messages with a tick every 250 ms up to the next pass. At equal
 * times, the due book precedes the tick, and the tick precedes the message.
 */
export class PassPlayer<Message> {
  private readonly log: PassLog;
  private readonly normalizer: Normalizer<Message>;
  private readonly clock: FeedClock;

  /** @throws RangeError unless the shift is a multiple of 10 s */
  constructor(
    private readonly place: PassPosition,
    normalizerOf: (place: LogPosition, log: LogWriter) => Normalizer<Message>,
  ) {
    const { shiftMs, span } = place;
    if (shiftMs % SHIFT_STEP_MS !== 0) throw new RangeError(`shift is not a multiple of ${SHIFT_STEP_MS} ms: ${shiftMs}`);
    this.log = new PassLog(place);
    this.normalizer = normalizerOf(place, this.log);
    this.clock = new FeedClock(this.log, this.normalizer, span.firstReceivedMs);
  }

  get rejections(): Readonly<RejectionCounts> {
    this.normalizer.rejections.old_time += this.log.leftOut;
    this.log.leftOut = 0;
    return this.normalizer.rejections;
  }

  get clockMs(): number {
    return this.log.clockMs;
  }

  start(): readonly PlacedEvent[] {
    writeSeam(this.place, this.log);
    writeConnected(this.place, this.log);
    return this.log.take();
  }

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

export function writeSeam({ instrument, pass, span, shiftMs, previousLastExchangeMs: startMs }: PassPosition, log: LogWriter): void {
  if (startMs === undefined) return;
  const { venue, symbol } = instrument;
  const gapId = gapIdOf({ venue, symbol, pass, reason: 'recording_seam', startMs, lastVenueId: '' });
  log.status({ type: 'seam', gapId, startMs: startMs - shiftMs, endMs: span.firstExchangeMs });
}
