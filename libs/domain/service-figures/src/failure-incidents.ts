import { MINUTE_MS, joinSpans } from './counting';
import { type Incident, incidentOf, lastedSentence } from './incident';

const FAILED_SHARE = 0.05;
/** Minimum number of 5xx responses in a failing minute. */
const FAILED_CALLS = 3;

export interface MinuteAnswered {
  readonly minuteMs: number;
  readonly answered: number;
  readonly failed: number;
}

/**
 * Incidents `reads_failing`: spans of minutes in which at least `FAILED_SHARE` of the reads, and at least
 * `FAILED_CALLS`, got a 5xx. Minutes without statistics neither open nor close one. An incident that reaches `toMs`,
 * the end of the newest evaluated minute, is open.
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
