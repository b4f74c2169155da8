import type { labeling } from '@market-state/contracts';
import { servedSymbols } from '../../clients/market-data-client';
import { type NewestPackets, newestWindowEnd } from '../../clients/packets/read-packet';
import type { Upstreams } from '../../clients/upstreams';
import { feedbackCounts, shareOf } from './events/feedback-counts';
import { refusePacketsBeyondRetention, storedAnswer } from '../../clients/packets/stored-answer';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import type { Handler } from '../../serving/answers/handler';

/** Without `from` the window begins so long before its end, milliseconds. */
const SPAN_MS = 86_400_000;
/** Without `to` it ends so long after the newest packet, which is known by then: bounds are whole seconds. */
const PAST_NEWEST_MS = 1_000;
const PACKETS_AN_HOUR = 360;

export function getLabelStability(
  { packets, marketData }: Upstreams,
  latest: NewestPackets,
  now: () => number,
): Handler<'getLabelStability'> {
  return async ({ operation, grant, input }) => {
    const symbol = input.query.symbol;
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const toMs = parseInstant(input.query.to) ?? (await newestWindowEnd(packets, latest, symbol, asOfMs)) + PAST_NEWEST_MS;
    const fromMs = parseInstant(input.query.from) ?? Math.max(1, toMs - SPAN_MS);
    const request = { symbol, fromWindowEndMs: fromMs, toWindowEndMs: toMs, asOfMs };
    const [served, { packetTotal, pairTotal, states }] = await Promise.all([
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
      detail: packetTotal > 0 ? 'Figures are of stored packets; nothing spans a window without one.' : 'The window has no packet.',
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

/** Times an hour of packets that another follows; null where there is none. */
function perHour(total: number, pairTotal: number): number | null {
  return pairTotal === 0 ? null : Math.round(((total * PACKETS_AN_HOUR) / pairTotal) * 1e3) / 1e3;
}
