import { KnownMean } from '../numbers/mean';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { LaneRead } from '../read';
import { knownScore, laneOver, stateFlips, volatilityBps } from './lane-read';
import type { PacketTrace } from './packet-trace';

/**
 * The instant a scheduled lane stands at for a packet at T: the last multiple of `everyMs` at or before T − `lagMs`, ms since the epoch.
 */
export function laneInstant(windowEndMs: number, everyMs: number, lagMs: number): number {
  return Math.floor((windowEndMs - lagMs) / everyMs) * everyMs;
}

/**
 * session_regime at its instant: up to 2,160 packets (6 h) at or before it; null while there is none. Means of P, F, Q and C 0..1;
 * volatilities in basis points a 10 s step; session_minutes from its oldest to its newest packet; 6 decimals. Source: ours.
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

/** All means in one walk: some two thousand packets lie far apart in memory, and fetching them is what a mean costs. */
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
