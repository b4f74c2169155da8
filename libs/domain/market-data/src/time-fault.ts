import type { RejectionReason } from './rejections';

/** How far ahead of the feed clock an exchange time may be, and how far behind. */
const AHEAD_MS_MAX = 5_000;
const BEHIND_MS_MAX = 86_400_000;

/** Why an exchange time can't be taken at this feed clock; undefined when it can. */
export function timeFault(exchangeTsMs: number, feedClockMs: number): RejectionReason | undefined {
  if (exchangeTsMs > feedClockMs + AHEAD_MS_MAX) return 'future_time';
  return exchangeTsMs < feedClockMs - BEHIND_MS_MAX ? 'old_time' : undefined;
}
