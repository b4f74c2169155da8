const DAY_MS = 86_400_000;

export type Renewal = 'none' | 'daily' | 'monthly';

/** Half-open [from, to). */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

export function nextDay(ms: number): number {
  return dayOf(ms) + DAY_MS;
}

/** Window containing an instant; windows are aligned to the epoch. */
export function windowAt(windowSeconds: number, nowMs: number): Period {
  const lengthMs = windowSeconds * 1_000;
  const fromMs = Math.floor(nowMs / lengthMs) * lengthMs;
  return { fromMs, toMs: fromMs + lengthMs };
}

export function monthOf(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function nextMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Same day and time of day `months` later, clamped to the month's last day. */
export function addMonths(ms: number, months: number): number {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (ms - dayOf(ms));
}

/**
 * Period containing an instant: a UTC day, or a month counted from the anchor. Earlier instants belong to the first
 * month.
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
