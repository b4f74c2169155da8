import { PACKET_IN_TIME_MS, MINUTE_MS, WINDOW_MS, joinSpans, type Span } from './counting';
import { type Incident, incidentOf, lastedSentence, listWords } from './incident';

/** Minimum number of windows without a packet in time, of six, for a late minute. */
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
  const what = `Packets for ${listWords(symbols)} were not available ${PACKET_IN_TIME_MS / 1_000} s after the end of their windows`;
  const isUnknown = parts.some((part) => part.isUnknown);
  const isKnown = parts.some((part) => !part.isUnknown);
  const rule = `in at least ${LATE_WINDOWS} of ${MINUTE_MS / WINDOW_MS} windows per minute`;
  const away = 'Some of these minutes have no data because labeling was not running; they count as late.';
  if (!isKnown)
    return `There is no data on packets for ${listWords(symbols)} because labeling was not running; this counts as late. ${lasted}`;
  return `${what}, ${rule}. ${lasted}${isUnknown ? ` ${away}` : ''}`;
}
