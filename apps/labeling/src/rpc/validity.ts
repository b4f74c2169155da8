import type { labeling } from '@market-state/contracts';
import type { Estimate, SeverityValidity, StateLift } from '@market-state/report';
import type { MeasuredValidity } from '../events/validity';

export function toProtoValidity({ packetTotal, severity, severityWithHar, states }: MeasuredValidity): labeling.LabelValidity {
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
