export {
  addCounts,
  countLatency,
  LATENCY_BOUNDS_MS,
  latencyQuantileMs,
  totalOf,
} from './latency-buckets';
export {
  DAY_MS,
  dayOf,
  FIGURES_KEPT_MS,
  isInTime,
  MINUTE_MS,
  minuteOf,
  minuteOfWindow,
  monthOf,
  monthsOf,
  PACKET_IN_TIME_MS,
  SETTLED_AFTER_MS,
  settledToMs,
  shareDown,
  WINDOW_MS,
} from './counting';
export { type Incident, incidentPage, type IncidentsWanted, INCIDENT_KINDS, type IncidentKind } from './incident';
export { GAP_INCIDENT_MS, gapIncident, FEED_SILENT_MS, type LedgerGap } from './gap-incidents';
export { LATE_WINDOWS, lateIncidents, type LateSpan, type MinuteInTime } from './late-incidents';
export { FAILED_CALLS, FAILED_SHARE, failureIncidents, type MinuteAnswered } from './failure-incidents';
