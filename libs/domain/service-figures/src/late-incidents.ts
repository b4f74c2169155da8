import { PACKET_IN_TIME_MS, MINUTE_MS, WINDOW_MS, joinSpans, type Span } from './counting';
import { type Incident, incidentOf, lastedSentence, listWords } from './incident';

/** A minute of a symbol is late when so many of its windows, of six, had no packet in time. */
const LATE_WINDOWS = 2;

/** Windows of a minute that had a packet in time. */
export interface MinuteInTime {
  readonly symbol: string;
  /** Start of the minute. */
  readonly minuteMs: number;
  readonly inTime: number;
  /** Windows that were due: six, fewer in the minute in which counting began. */
  readonly due: number;
}

/** Minutes of a symbol of which nothing is known: whoever labels it did not run, or could not write. */
export interface LateSpan extends Span {
  readonly symbol: string;
}

interface Late extends LateSpan {
  readonly isUnknown: boolean;
}

/**
 * Incidents `packets_late`: spans of minutes in which `LATE_WINDOWS` or more windows of a symbol had no packet in time, or of which
 * nothing is known. Spans of several symbols that overlap or touch are one incident. One that lasts to the end of the newest figures is
 * open.
 * @param minutes those that may be late
 * @param unknown from when counting began on
 * @param toMs end of the newest minute judged
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
  const what = `Packets of ${listWords(symbols)} were not there ${PACKET_IN_TIME_MS / 1_000} s after the end of their windows`;
  const isUnknown = parts.some((part) => part.isUnknown);
  const isKnown = parts.some((part) => !part.isUnknown);
  const rule = `in at least ${LATE_WINDOWS} of ${MINUTE_MS / WINDOW_MS} windows a minute`;
  const away = 'Of some minutes of it nothing is known, because labeling did not run: they count as late.';
  if (!isKnown) return `Nothing is known of packets of ${listWords(symbols)}, because labeling did not run: they count as late. ${lasted}`;
  return `${what}, ${rule}. ${lasted}${isUnknown ? ` ${away}` : ''}`;
}
