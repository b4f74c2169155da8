export const MINUTE_MS = 60_000;

export const DAY_MS = 86_400_000;

export const WINDOW_MS = 10_000;

/**
 * Maximum delay from a window's end to storage. A window stays open for its venue's closing lag, at most 2,000 ms, plus
 * a tick of 250 ms; the rest is margin.
 */
export const PACKET_IN_TIME_MS = 5_000;

/** Retention of statistics by minute; daily statistics have no limit. */
export const FIGURES_KEPT_MS = 90 * DAY_MS;

/**
 * Delay after which a minute is evaluated: its last packet was due, and every process has reported. Later reports still
 * count.
 */
const SETTLED_AFTER_MS = 45_000;

/** Maximum age of a minute reported by a gateway, which retains unreported minutes for an hour. */
const HANDED_ON_WITHIN_MS = 2 * 3_600_000;

/** Delay after which a day is aggregated: its minutes no longer change. */
export const FOLDED_AFTER_MS = 3 * 3_600_000;

/** Minutes that a gateway may report at a given time; its clock may be one minute ahead. */
export function countedMinutes(nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: nowMs - HANDED_ON_WITHIN_MS, toMs: nowMs + MINUTE_MS };
}

export function minuteOf(instantMs: number): number {
  return Math.floor(instantMs / MINUTE_MS) * MINUTE_MS;
}

export function dayOf(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS) * DAY_MS;
}

export function monthOf(instantMs: number): number {
  const date = new Date(instantMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** Starts of the UTC months that overlap [fromMs, toMs), oldest first. */
export function monthsOf(fromMs: number, toMs: number): number[] {
  const months: number[] = [];
  for (let monthMs = monthOf(fromMs); monthMs < toMs; monthMs = nextMonth(monthMs)) months.push(monthMs);
  return months;
}

function nextMonth(monthMs: number): number {
  const date = new Date(monthMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** A window ending on a minute boundary belongs to the minute before. */
export function minuteOfWindow(windowEndMs: number): number {
  return minuteOf(windowEndMs - 1);
}

export function isInTime(windowEndMs: number, storedMs: number): boolean {
  return storedMs - windowEndMs <= PACKET_IN_TIME_MS;
}

/** End of the last minute that can be evaluated, and of the newest statistics in responses. */
export function settledToMs(nowMs: number): number {
  return minuteOf(nowMs - SETTLED_AFTER_MS);
}

/** Share rounded down to six decimals, so that anything missing keeps it below 1; null if `whole` is 0. */
export function shareDown(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part / whole) * 1e6) / 1e6;
}

/** Half-open span [startMs, endMs). */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Merges spans that touch or overlap. Each merged span lists its parts, oldest first. */
export function joinSpans<Each extends Span>(spans: readonly Each[]): (Span & { readonly parts: readonly Each[] })[] {
  const joined: { startMs: number; endMs: number; parts: Each[] }[] = [];
  for (const span of spans.toSorted((one, other) => one.startMs - other.startMs)) {
    const last = joined.at(-1);
    if (last === undefined || span.startMs > last.endMs) joined.push({ startMs: span.startMs, endMs: span.endMs, parts: [span] });
    else {
      last.endMs = Math.max(last.endMs, span.endMs);
      last.parts.push(span);
    }
  }
  return joined;
}
