import type { PolicyNumbers } from '../policy/numbers';
import type { LaneRead } from '../read';
import { knownMean, knownScore, laneOver, stateFlips, volatilityBps, type PacketTrace } from './lane-read';
import { KnownMean } from '../numbers/mean';
import { round6 } from '../numbers/round';

/** Instant of a scheduled lane: the last multiple of `everyMs` at or before T − `lagMs`. */
export function laneInstant(windowEndMs: number, everyMs: number, lagMs: number): number {
  return Math.floor((windowEndMs - lagMs) / everyMs) * everyMs;
}

/**
 * session_regime at its instant: up to 2,160 packets (6 h) at or before it; null without any. Means of P, F, Q and C 0
 * to 1; volatilities in basis points per 10 s step; session_minutes from its oldest to its newest packet; 6 decimals.
 * Source: ours.
 */
export function sessionLane(traces: readonly PacketTrace[], asOfMs: number, numbers: PolicyNumbers): LaneRead | null {
  const end = traces.findLastIndex((trace) => trace.windowEndMs <= asOfMs) + 1;
  const window = traces.slice(Math.max(0, end - numbers.lanes.session_packets), end);
  const oldest = window[0];
  const newest = window.at(-1);
  if (oldest === undefined || newest === undefined) return null;
  const { confidenceMean, ...means } = sessionMeans(window);
  return laneOver(
    window,
    asOfMs,
    numbers.lanes.session_full_packets,
    confidenceMean,
    {
      ...means,
      regime_score: knownScore(newest, 'regime'),
      realized_vol_short_bps: volatilityBps(newest.volatilityShort),
      realized_vol_session_bps: volatilityBps(newest.volatilitySession),
      state_flips: stateFlips(window),
      session_minutes: round6((newest.windowEndMs - oldest.windowEndMs) / 60_000),
    },
    numbers,
  );
}

/** One pass for all means: fetching thousands of scattered packets is the dominant cost. */
function sessionMeans(traces: readonly PacketTrace[]) {
  const pressure = new KnownMean();
  const flow = new KnownMean();
  const fragility = new KnownMean();
  const crowding = new KnownMean();
  const confidence = new KnownMean();
  for (const { available, scores, confidence: packetConfidence } of traces) {
    if (available.pressure) pressure.add(scores.pressure);
    if (available.flow) flow.add(scores.flow);
    if (available.fragility) fragility.add(scores.fragility);
    if (available.crowding) crowding.add(scores.crowding);
    confidence.add(packetConfidence);
  }
  return {
    confidenceMean: confidence.mean(),
    pressure_abs_mean: pressure.mean(),
    flow_abs_mean: flow.mean(),
    fragility_mean: fragility.mean(),
    crowding_mean: crowding.mean(),
  };
}

/**
 * short_window at T: the last 30 packets, including this one. `traces`: oldest first, including this packet. Means in
 * their own units (signed p and f −1 to 1, Q and L 0 to 1, spread in basis points), 6 decimals, over the packets that
 * could read them. Source: ours.
 */
export function shortWindowLane(traces: readonly PacketTrace[], priceMoveBps: number, numbers: PolicyNumbers): LaneRead {
  const window = traces.slice(-numbers.lanes.short_window_packets);
  const newest = newestOf(window);
  return laneOver(
    window,
    newest.windowEndMs,
    numbers.lanes.short_window_packets,
    knownMean(window, (trace) => trace.confidence),
    {
      pressure_mean: knownMean(window, (trace) => (trace.available.pressure ? trace.pressure : null)),
      flow_mean: knownMean(window, (trace) => (trace.available.flow ? trace.flow : null)),
      fragility_mean: knownMean(window, (trace) => knownScore(trace, 'fragility')),
      forced_flow_mean: knownMean(window, (trace) => knownScore(trace, 'forced_flow')),
      spread_bps_mean: knownMean(window, (trace) => trace.spreadBps),
      price_move_bps: priceMoveBps,
      realized_vol_bps: volatilityBps(newest.volatilityShort),
      state_flips: stateFlips(window),
    },
    numbers,
  );
}

/** event_lineage at T: the last 6 packets, including this one; mean severity 0 to 1, flips in packets. Source: ours. */
export function eventLineageLane(traces: readonly PacketTrace[], numbers: PolicyNumbers): LaneRead {
  const window = traces.slice(-numbers.lanes.event_packets);
  return laneOver(
    window,
    newestOf(window).windowEndMs,
    numbers.lanes.event_packets,
    knownMean(window, (trace) => trace.confidence),
    {
      state_flips: stateFlips(window),
      severity_mean: knownMean(window, (trace) => trace.severity),
    },
    numbers,
  );
}

function newestOf(traces: readonly PacketTrace[]): PacketTrace {
  const newest = traces.at(-1);
  if (newest === undefined) throw new Error('a lane at T holds at least this packet');
  return newest;
}
