import type { labeling } from '@market-state/contracts';
import { yieldToEventLoop } from '@market-state/lifecycle';
import { storedValidity, type Estimate, type SeverityValidity, type StateLift, type StoredValidity } from '@market-state/report';
import { LRUCache } from 'lru-cache';
import type { EventIndex, StabilityWindow } from '../events/event-index';

/** A day. More packets would take too long for an answer. */
const PACKETS_MAX = 8_640;

/** Time in which an answer is used again, for callers that ask about the same window: a symbol's next packet is 10 s away. */
const KEPT_MS = 10_000;
const KEPT_MAX = 100;

export type ReadValidity = (window: StabilityWindow) => Promise<labeling.LabelValidity>;

/** Validity of a symbol's newest labels in a window, at most 10 s old. Callers at the same time share one computation. */
export function createValidityReader(events: Pick<EventIndex, 'labels'>): ReadValidity {
  const answers = new LRUCache<string, labeling.LabelValidity, StabilityWindow>({
    max: KEPT_MAX,
    ttl: KEPT_MS,
    fetchMethod: (_key, _stale, { context }) => measureValidity(events, context),
  });
  return (window) => answers.forceFetch([window.symbol, window.fromMs, window.toMs, window.asOfMs].join(), { context: window });
}

/** Other work goes on between its steps. */
async function measureValidity(events: Pick<EventIndex, 'labels'>, window: StabilityWindow): Promise<labeling.LabelValidity> {
  const labels = await events.labels(window, PACKETS_MAX);
  const steps = storedValidity(labels);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await yieldToEventLoop();
  return toProtoValidity(step.value, labels.length);
}

function toProtoValidity({ severity, severityWithHar, states }: StoredValidity, packetTotal: number): labeling.LabelValidity {
  return {
    packetTotal,
    severity: toProtoSeverity(severity),
    severityWithHar: toProtoSeverity(severityWithHar),
    states: states.map(toProtoLift),
  };
}

function toProtoSeverity(severity: SeverityValidity | null): labeling.SeverityValidity | undefined {
  if (severity === null) return undefined;
  const { correlations, alarmOfClasses, alarmOfShare } = severity;
  return {
    packetTotal: severity.packets,
    halfHourTotal: severity.halfHours,
    correlations: {
      severity: toProtoEstimate(correlations.severity),
      lastMinute: toProtoEstimate(correlations.lastMinute),
      lastFiveMinutes: toProtoEstimate(correlations.lastFiveMinutes),
      blend: toProtoEstimate(correlations.blend),
      har: toProtoEstimate(correlations.har),
    },
    partialGivenTrailing: toProtoEstimate(severity.partialGivenTrailing),
    partialGivenHar: toProtoEstimate(severity.partialGivenHar),
    alarmOfClasses: toProtoAlarm(alarmOfClasses),
    alarmOfShare: toProtoAlarm(alarmOfShare),
  };
}

function toProtoAlarm(alarm: SeverityValidity['alarmOfShare']): labeling.Alarm | undefined {
  if (alarm === null) return undefined;
  const { packets, har, ...shares } = alarm;
  return { ...shares, packetTotal: packets, har: har ?? undefined };
}

function toProtoLift({ state, outcome, claims, packets, givenLast, givenBlend, verdict }: StateLift): labeling.StateLift {
  return {
    state,
    outcome: outcome ?? '',
    claimsHigher: claims === 'higher',
    packetTotal: packets,
    givenLast: toProtoEstimate(givenLast),
    givenBlend: toProtoEstimate(givenBlend),
    verdict,
  };
}

function toProtoEstimate(estimate: Estimate | null): labeling.Estimate | undefined {
  return estimate === null ? undefined : { value: estimate.value, low: estimate.low ?? undefined, high: estimate.high ?? undefined };
}
