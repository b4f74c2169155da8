export const MINUTE_MS = 60_000;

export const DAY_MS = 86_400_000;

/** A window of each symbol ends as often, milliseconds. */
export const WINDOW_MS = 10_000;

/**
 * A packet that is stored so long after the end of its window, or sooner, is in time. A window stays open for the closing lag of its venue,
 * 2,000 ms at most, and the 250 ms of a tick: the rest is room for the service.
 */
export const PACKET_IN_TIME_MS = 5_000;

/** How long figures are kept by the minute; by the day they stay. */
export const FIGURES_KEPT_MS = 90 * DAY_MS;

/**
 * So long after its end a minute is judged: its last packet has had its time, and every process has handed on what it counted in it. A
 * process that could not yet adds to a minute that has been judged.
 */
const SETTLED_AFTER_MS = 45_000;

/** How old a minute may be that a gateway hands on, which keeps those that could not be handed on for an hour. */
const HANDED_ON_WITHIN_MS = 2 * 3_600_000;

/** A day is added up so long after its end: nothing more is written of its minutes then. */
export const FOLDED_AFTER_MS = 3 * 3_600_000;

/** Which minutes a gateway may hand on at an instant; its clock may be a minute ahead. */
export function takenMinutes(nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  return { fromMs: nowMs - HANDED_ON_WITHIN_MS, toMs: nowMs + MINUTE_MS };
}

/** Start of the minute of an instant. */
export function minuteOf(instantMs: number): number {
  return Math.floor(instantMs / MINUTE_MS) * MINUTE_MS;
}

/** Start of the UTC day of an instant. */
export function dayOf(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS) * DAY_MS;
}

/** Start of the UTC month of an instant. */
export function monthOf(instantMs: number): number {
  const date = new Date(instantMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** Starts of the UTC months that [fromMs, toMs) touches, oldest first. */
export function monthsOf(fromMs: number, toMs: number): number[] {
  const months: number[] = [];
  for (let monthMs = monthOf(fromMs); monthMs < toMs; monthMs = nextMonth(monthMs)) months.push(monthMs);
  return months;
}

function nextMonth(monthMs: number): number {
  const date = new Date(monthMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** Start of the minute in which a window is counted: the one in which, or with which, it ends. */
export function minuteOfWindow(windowEndMs: number): number {
  return minuteOf(windowEndMs - 1);
}

/** Whether a packet that was stored at an instant came in time for its window. */
export function isInTime(windowEndMs: number, storedMs: number): boolean {
  return storedMs - windowEndMs <= PACKET_IN_TIME_MS;
}

/** End of the last minute that can be judged at an instant: the end of the newest figures that answers are made of. */
export function settledToMs(nowMs: number): number {
  return minuteOf(nowMs - SETTLED_AFTER_MS);
}

/** A share to six decimals, rounded down: where anything is missing, it is below 1. Null of nothing. */
export function shareDown(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part / whole) * 1e6) / 1e6;
}

/** A time that lasts, milliseconds; the end is not in it. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Spans that touch or overlap, joined: each joined span with those that it is made of, oldest first. */
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
