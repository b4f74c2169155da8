import { type Incident, incidentOf, lastedSentence, LIST } from './incident';

/** Windows without a packet in time, of six, that make a minute late. */
const LATE_WINDOWS = 2;

export interface MinuteInTime {
  readonly symbol: string;
  readonly minuteMs: number;
  readonly inTime: number;
  /** Windows due: six, or fewer in the first counted minute. */
  readonly due: number;
}

/** Minutes of a symbol without data, because labeling was not running or could not write. */
export interface LateSpan extends Span {
  readonly symbol: string;
}

interface Late extends LateSpan {
  readonly isUnknown: boolean;
}

/**
 * Incidents `packets_late`: spans of minutes without data, or in which at least `LATE_WINDOWS` windows had no packet in
 * time. Overlapping or adjacent spans of several symbols form one incident. An incident that reaches `toMs`, the end of
 * the newest evaluated minute, is open.
 */
export function lateIncidents(minutes: readonly MinuteInTime[], unknown: readonly LateSpan[], toMs: number): Incident[] {
  const late: Late[] = [
    ...minutes
      .filter(({ due, inTime }) => due - inTime >= LATE_WINDOWS)
      .map(({ symbol, minuteMs }) => ({ symbol, startMs: minuteMs, endMs: minuteMs + MINUTE_MS, isUnknown: false })),
    ...unknown.map((span) => ({ ...span, isUnknown: true })),
  ];
  return joinSpans(late).map(({ startMs, endMs, parts }) => {
    const closedMs = endMs >= toMs ? null : endMs;
    const symbols = [...new Set(parts.map(({ symbol }) => symbol))].sort();
    return incidentOf({
      kind: 'packets_late',
      openedMs: startMs,
      closedMs,
      symbols,
      gapIds: [],
      sentence: sentenceOf(symbols, lastedSentence(startMs, closedMs), parts),
      of: '',
    });
  });
}

function sentenceOf(symbols: readonly string[], lasted: string, parts: readonly Late[]): string {
  const what = `Packets for ${LIST.format(symbols)} were not available ${PACKET_IN_TIME_MS / 1_000} s after the end of their windows`;
  const isUnknown = parts.some((part) => part.isUnknown);
  const isKnown = parts.some((part) => !part.isUnknown);
  const rule = `in at least ${LATE_WINDOWS} of ${MINUTE_MS / WINDOW_MS} windows per minute`;
  const away = 'Some of these minutes have no data because labeling was not running; they count as late.';
  if (!isKnown)
    return `There is no data on packets for ${LIST.format(symbols)} because labeling was not running; this counts as late. ${lasted}`;
  return `${what}, ${rule}. ${lasted}${isUnknown ? ` ${away}` : ''}`;
}

const FAILED_SHARE = 0.05;
/** 5xx responses that make a minute failing. */
const FAILED_CALLS = 3;

export interface MinuteAnswered {
  readonly minuteMs: number;
  readonly answered: number;
  readonly failed: number;
}

/**
 * Incidents `reads_failing`: spans of minutes in which at least `FAILED_SHARE` of the reads, and at least
 * `FAILED_CALLS`, got a 5xx. Minutes without statistics neither open nor close one. Open as in `lateIncidents`.
 */
export function failureIncidents(minutes: readonly MinuteAnswered[], toMs: number): Incident[] {
  const failing = minutes
    .filter(({ answered, failed }) => failed >= FAILED_CALLS && failed >= FAILED_SHARE * (answered + failed))
    .map((minute) => ({ ...minute, startMs: minute.minuteMs, endMs: minute.minuteMs + MINUTE_MS }));
  return joinSpans(failing).map(({ startMs, endMs, parts }) => {
    const closedMs = endMs >= toMs ? null : endMs;
    const failed = parts.reduce((sum, part) => sum + part.failed, 0);
    const answered = parts.reduce((sum, part) => sum + part.answered, failed);
    const percent = Math.ceil((failed / answered) * 1_000) / 10;
    return incidentOf({
      kind: 'reads_failing',
      openedMs: startMs,
      closedMs,
      symbols: [],
      gapIds: [],
      sentence: `${failed.toLocaleString('en-US')} of ${answered.toLocaleString('en-US')} reads (${percent} %) failed with a server error. ${lastedSentence(startMs, closedMs)}`,
      of: '',
    });
  });
}

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
 * A minute is evaluated after this delay: its last packet was due, and every process has reported. Later reports still
 * count.
 */
const SETTLED_AFTER_MS = 45_000;

/** Maximum age of a reported minute; gateways retain unreported ones for an hour. */
const HANDED_ON_WITHIN_MS = 2 * 3_600_000;

/** A day is aggregated after this delay: its minutes no longer change. */
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

/** Half-open: [startMs, endMs). */
interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Merges spans that touch or overlap; `parts` are oldest first. */
function joinSpans<Each extends Span>(spans: readonly Each[]): (Span & { readonly parts: readonly Each[] })[] {
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
