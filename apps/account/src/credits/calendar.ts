const DAY_MS = 86_400_000;

/** How often a plan's credits are given. */
export type Renewal = 'none' | 'daily' | 'monthly';

/** From (inclusive) and to (exclusive), milliseconds since the epoch. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Midnight UTC at or before an instant. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** The midnight UTC after an instant. */
export function nextDay(ms: number): number {
  return dayOf(ms) + DAY_MS;
}

/** The window that an instant lies in, of those that begin at whole multiples of their length since the epoch. */
export function windowAt(windowSeconds: number, nowMs: number): Period {
  const lengthMs = windowSeconds * 1_000;
  const fromMs = Math.floor(nowMs / lengthMs) * lengthMs;
  return { fromMs, toMs: fromMs + lengthMs };
}

/** The first of the month, midnight UTC, at or before an instant. */
export function monthOf(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** The first of the month, midnight UTC, after an instant. */
export function nextMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The same day of the month and time of the day, `months` later; in a month without that day, its last day. */
export function addMonths(ms: number, months: number): number {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (ms - dayOf(ms));
}

/**
 * The period of a plan that an instant lies in: a day UTC, or a month counted from the anchor. An instant before the anchor lies in
 * the first month.
 */
export function periodAt(renewal: Exclude<Renewal, 'none'>, anchorMs: number, nowMs: number): Period {
  if (renewal === 'daily') return { fromMs: dayOf(nowMs), toMs: nextDay(nowMs) };
  const anchor = new Date(anchorMs);
  const now = new Date(nowMs);
  let months = (now.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + now.getUTCMonth() - anchor.getUTCMonth();
  if (addMonths(anchorMs, months) > nowMs) months -= 1;
  months = Math.max(0, months);
  return { fromMs: addMonths(anchorMs, months), toMs: addMonths(anchorMs, months + 1) };
}
