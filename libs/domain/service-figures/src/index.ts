export { addCounts, countLatency, LATENCY_BOUNDS_MS, latencyQuantileMs, totalOf } from './latency-buckets';
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
  settledToMs,
  shareDown,
  WINDOW_MS,
  FOLDED_AFTER_MS,
  countedMinutes,
  failureIncidents,
  type MinuteAnswered,
  lateIncidents,
  type LateSpan,
  type MinuteInTime,
} from './counting';
export {
  type Incident,
  INCIDENT_KINDS,
  type IncidentKind,
  incidentOf,
  incidentPage,
  inIncidentOrder,
  type IncidentsWanted,
} from './incident';
export { GAP_INCIDENT_MS, gapIncident } from './gap-incidents';
