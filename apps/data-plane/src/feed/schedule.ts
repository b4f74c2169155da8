import { firstShift, type RecordingSpan, SHIFT_STEP_MS } from '@market-state/market-data';

const hourMs = 3_600_000;

/** Start of the last full clock hour before a moment. */
export function lastFullHourStartMs(nowMs: number): number {
  return Math.floor(nowMs / hourMs) * hourMs - hourMs;
}

/** Where history begins at a moment: with the last full clock hour, or later where no more than `historyMs` of it is wanted. */
export function historyStartMs(nowMs: number, historyMs = Infinity): number {
  return Math.max(lastFullHourStartMs(nowMs), nowMs - historyMs);
}

/** The smallest shift with which the recording's first message is received after a moment. */
export function shiftStartingAfter(span: RecordingSpan, momentMs: number): number {
  return firstShift(span, momentMs) + SHIFT_STEP_MS;
}
