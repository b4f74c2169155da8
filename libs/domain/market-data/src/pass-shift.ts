import { WINDOW_MS } from './event';

/** Shifts of a recording are multiples of this, milliseconds, so that windows keep their alignment. */
export const SHIFT_STEP_MS = WINDOW_MS;

/** First and last times of a recording as it was made, milliseconds since the epoch. */
export interface RecordingSpan {
  /** Local receive times. */
  readonly firstReceivedMs: number;
  readonly lastReceivedMs: number;
  /** Exchange times over the messages that enter the log (depth, trade, snapshot). */
  readonly firstExchangeMs: number;
  readonly lastExchangeMs: number;
}

/** The largest shift with which the first message is received at or before `startMs` (the start of the last full clock hour). */
export function firstShift(span: RecordingSpan, startMs: number): number {
  return Math.floor((startMs - span.firstReceivedMs) / SHIFT_STEP_MS) * SHIFT_STEP_MS;
}

/** The shift with which the first message is received nearest to `startMs` (`FEED_START`); halfway goes to the later. */
export function nearestShift(span: RecordingSpan, startMs: number): number {
  return Math.floor((startMs - span.firstReceivedMs) / SHIFT_STEP_MS + 0.5) * SHIFT_STEP_MS;
}

/**
 * How far a pass is after the one before it: the smallest multiple of 10 s with which the first message comes after the
 * last one of the pass before, by receive time and by exchange time.
 */
function passLengthMs(span: RecordingSpan): number {
  const lengthMs = Math.max(span.lastReceivedMs - span.firstReceivedMs, span.lastExchangeMs - span.firstExchangeMs);
  return (Math.floor(lengthMs / SHIFT_STEP_MS) + 1) * SHIFT_STEP_MS;
}

/** The shift of the pass after one with `shiftMs`. */
export function nextShift(span: RecordingSpan, shiftMs: number): number {
  return shiftMs + passLengthMs(span);
}
