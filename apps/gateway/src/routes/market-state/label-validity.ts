import type { labeling } from '@market-state/contracts';
import { documentedWord, type Described } from '../../serving/openapi/described';

const outcomeNamed = documentedWord('StateLift', 'outcome');
const verdictNamed = documentedWord('StateLift', 'verdict');

export function publicValidity({ packetTotal, severity, severityWithHar, states }: labeling.LabelValidity): Described<'LabelValidity'> {
  return {
    packet_total: packetTotal,
    severity: severityValidity(severity),
    severity_with_har: severityValidity(severityWithHar),
    states: states.map((lift) => ({
      state: lift.state,
      outcome: outcomeNamed(lift.outcome),
      claims: lift.claimsHigher ? 'higher' : 'lower',
      packet_total: lift.packetTotal,
      given_last: estimate(lift.givenLast),
      given_last_and_longer: estimate(lift.givenBlend),
      verdict: verdictNamed(lift.verdict),
    })),
  };
}

function severityValidity(severity: labeling.SeverityValidity | undefined): Described<'SeverityValidity'> | null {
  if (severity === undefined) return null;
  const { correlations } = severity;
  return {
    packet_total: severity.packetTotal,
    half_hour_total: severity.halfHourTotal,
    rank_correlations: {
      severity: estimate(correlations?.severity),
      last_60s: estimate(correlations?.lastMinute),
      last_300s: estimate(correlations?.lastFiveMinutes),
      last_60s_and_300s: estimate(correlations?.blend),
      har: estimate(correlations?.har),
    },
    partial_given_last: estimate(severity.partialGivenTrailing),
    partial_given_har: estimate(severity.partialGivenHar),
    alarm_of_classes: alarm(severity.alarmOfClasses),
    alarm_of_share: alarm(severity.alarmOfShare),
  };
}

function alarm(found: labeling.Alarm | undefined): Described<'LabelAlarm'> | null {
  if (found === undefined) return null;
  return {
    packet_total: found.packetTotal,
    severity: rounded(found.severity),
    last_60s: rounded(found.lastMinute),
    last_300s: rounded(found.lastFiveMinutes),
    last_60s_and_300s: rounded(found.blend),
    har: found.har === undefined ? null : rounded(found.har),
  };
}

function estimate(found: labeling.Estimate | undefined): Described<'LabelEstimate'> | null {
  if (found === undefined) return null;
  const { value, low, high } = found;
  return { value: rounded(value), low: low === undefined ? null : rounded(low), high: high === undefined ? null : rounded(high) };
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
