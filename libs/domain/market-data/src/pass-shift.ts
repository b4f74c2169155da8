import { WINDOW_MS } from './event';

/** Shifts are multiples of this, to preserve window alignment. */
export const SHIFT_STEP_MS = WINDOW_MS;

/** Original times of a recording, epoch milliseconds. */
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
