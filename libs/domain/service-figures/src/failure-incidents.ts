import { MINUTE_MS, joinSpans } from './counting';
import { type Incident, incidentOf, lastedSentence } from './incident';

/** Calls fail when so great a share of those of a minute was answered 5xx … */
const FAILED_SHARE = 0.05;
/** … and so many of them at least. */
const FAILED_CALLS = 3;

/** Reads of a minute, of every gateway and class. */
export interface MinuteAnswered {
  /** Start of the minute. */
  readonly minuteMs: number;
  /** 2xx and 304. */
  readonly answered: number;
  /** 5xx. */
  readonly failed: number;
}

/**
 * Incidents `reads_failing`: spans of minutes in which `FAILED_SHARE` or more of the reads, and `FAILED_CALLS` or more, were answered 5xx.
 * Minutes without figures neither open nor close one. One that lasts to the end of the newest figures is open.
 * @param minutes those that may have failed
 * @param toMs end of the newest minute judged
 */
export function failureIncidents(minutes: readonly MinuteAnswered[], toMs: number): Incident[] {
  const failing = minutes
    .filter(({ answered, failed }) => failed >= FAILED_CALLS && failed >= FAILED_SHARE * (answered + failed))
    .map((minute) => ({ ...minute, startMs: minute.minuteMs, endMs: minute.minuteMs + MINUTE_MS }));
  return joinSpans(failing).map(({ startMs, endMs, parts }) => {
    const closedMs = endMs >= toMs ? null : endMs;
    const failed = parts.reduce((sum, part) => sum + part.failed, 0);
    const asked = parts.reduce((sum, part) => sum + part.answered, failed);
    const percent = Math.ceil((failed / asked) * 1_000) / 10;
    return incidentOf({
      kind: 'reads_failing',
      openedMs: startMs,
      closedMs,
      symbols: [],
      gapIds: [],
      sentence: `${failed.toLocaleString('en-US')} of ${asked.toLocaleString('en-US')} reads were answered with an error of the service, ${percent} %. ${lastedSentence(startMs, closedMs)}`,
      of: '',
    });
  });
}
