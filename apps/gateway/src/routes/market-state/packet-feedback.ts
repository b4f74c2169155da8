import { labeling } from '@market-state/contracts';
import { servedSymbols } from '../../clients/market-data-client';
import { aboutEvent, refusePacketsBeyondRetention } from '../../clients/packet-client';
import { type NewestPackets, newestWindowEnd } from '../../clients/packets/read-packet';
import { storedAnswer } from '../../clients/packets/stored-answer';
import type { ReadDeps } from '../../clients/upstreams';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant, toUtc } from '../../serving/meta/meta';
import { type Described, documentedWord, type WithoutMeta } from '../../serving/openapi/document';

/** Feedback of all tenants; the share rated `useful` is null without feedback. */
function feedbackCounts(totals: labeling.FeedbackTotals | undefined): Described<'FeedbackCounts'> {
  const { useful = 0, partial = 0, missingContext = 0, noise = 0 } = totals ?? {};
  const total = useful + partial + missingContext + noise;
  return { feedback_total: total, useful, partial, missing_context: missingContext, noise, agreement_share: shareOf(useful, total) };
}

/** Rounded to six decimals; null if the whole is 0. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1e6) / 1e6;
}

const LABELS: Readonly<Record<WithoutMeta<'PacketFeedback'>['label'], labeling.FeedbackLabel>> = {
  useful: labeling.FeedbackLabel.USEFUL,
  partial: labeling.FeedbackLabel.PARTIAL,
  missing_context: labeling.FeedbackLabel.MISSING_CONTEXT,
  noise: labeling.FeedbackLabel.NOISE,
};

export function createPacketFeedback({ packets }: Pick<ReadDeps, 'packets'>): Handler<'createPacketFeedback'> {
  return async (call) => {
    const { event_id: eventId, label: sent, note = '' } = call.input.body;
    const label = sent === 'missing context' ? 'missing_context' : sent;
    const answer = await aboutEvent(packets.call.recordFeedback({ tenantId: grantOf(call).tenantId, eventId, label: LABELS[label], note }));
    const onEvent = feedbackCounts(answer.onEvent);
    const fields: WithoutMeta<'PacketFeedback'> = {
      event_id: eventId,
      symbol: answer.symbol,
      window_end_utc: toUtc(answer.windowEndMs),
      state: answer.state,
      event_class: answer.eventClass,
      label,
      note: note === '' ? null : note,
      recorded_at_utc: toUtc(answer.recordedTsMs),
      replaced: answer.replaced,
      agreement: {
        same_label_share: shareOf(onEvent[label], onEvent.feedback_total),
        event: onEvent,
        state: feedbackCounts(answer.onState),
        event_class: feedbackCounts(answer.onEventClass),
      },
      not_a_signal: true,
    };
    return accountAnswer(call, fields, 'Feedback saved. Later feedback on the same event replaces it.');
  };
}

/** Default window length without `from`. */
const SPAN_MS = 86_400_000;
/** Without `to`, the window ends this long after the newest packet; bounds are whole seconds. */
const PAST_NEWEST_MS = 1_000;
const PACKETS_AN_HOUR = 360;

export function getLabelStability({
  packets,
  marketData,
  latest,
  now,
}: ReadDeps & { readonly latest: NewestPackets }): Handler<'getLabelStability'> {
  return async ({ operation, grant, input }) => {
    const symbol = input.query.symbol;
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const toMs = parseInstant(input.query.to) ?? (await newestWindowEnd(packets, latest, symbol, asOfMs)) + PAST_NEWEST_MS;
    const fromMs = parseInstant(input.query.from) ?? Math.max(1, toMs - SPAN_MS);
    const request = { symbol, fromWindowEndMs: fromMs, toWindowEndMs: toMs, asOfMs };
    const [served, { packetTotal, pairTotal, states, validity }] = await Promise.all([
      servedSymbols(marketData),
      packets.call.getStability(request, { deadlineMs: 6_000 }),
    ]);
    if (packetTotal === 0) await refusePacketsBeyondRetention(packets, { symbol, asOfMs, toMs });
    const flips = states.reduce((sum, { exitTotal }) => sum + exitTotal, 0);
    const read = {
      symbol,
      served,
      asOfMs,
      nowMs: now(),
      found: packetTotal > 0,
      detail: packetTotal > 0 ? 'Computed from stored packets. A run ends where a packet is missing.' : 'The window has no packet.',
    };
    const fields = {
      from_utc: toUtc(fromMs),
      to_utc: toUtc(toMs),
      packet_total: packetTotal,
      pair_total: pairTotal,
      flip_total: flips,
      flips_per_hour: perHour(flips, pairTotal),
      near_threshold_share: shareOf(
        states.reduce((sum, { nearThresholdTotal }) => sum + nearThresholdTotal, 0),
        packetTotal,
      ),
      states: states.map((state) => publicState(state, packetTotal, pairTotal)),
      ...(validity === undefined ? {} : { validity: publicValidity(validity) }),
    };
    const observed = states.reduce((sum, { transitions }) => sum + 1 + transitions.length, 0);
    return { ...jsonRepresentation(storedAnswer({ operation, grant }, read, fields)), observed: Math.min(100, observed) };
  };
}

function publicState(state: labeling.StateStability, packetTotal: number, pairTotal: number) {
  const followed = state.transitions.reduce((sum, { total }) => sum + total, 0);
  return {
    state: state.state,
    packet_total: state.packetTotal,
    share: shareOf(state.packetTotal, packetTotal),
    span_total: state.spanTotal,
    whole_span_total: state.wholeSpanTotal,
    dwell_seconds: {
      mean: state.dwellMeanS === undefined ? null : Math.round(state.dwellMeanS * 1_000) / 1_000,
      median: state.dwellMedianS ?? null,
      longest: state.dwellLongestS,
    },
    exit_total: state.exitTotal,
    flips_per_hour: perHour(state.exitTotal, pairTotal),
    near_threshold_share: shareOf(state.nearThresholdTotal, state.packetTotal),
    transitions: state.transitions.map(({ toState, total }) => ({ to_state: toState, total, share: shareOf(total, followed) })),
    feedback: feedbackCounts(state.feedback),
  };
}

/** Rate per hour of packets that have a successor; null if there are none. */
function perHour(total: number, pairTotal: number): number | null {
  return pairTotal === 0 ? null : Math.round(((total * PACKETS_AN_HOUR) / pairTotal) * 1e3) / 1e3;
}

const outcomeNamed = documentedWord('StateLift', 'outcome');
const verdictNamed = documentedWord('StateLift', 'verdict');

function publicValidity({ packetTotal, severity, severityWithHar, states }: labeling.LabelValidity): Described<'LabelValidity'> {
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
