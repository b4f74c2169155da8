import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { LaneRead } from '../read';
import { knownMean, knownScore, laneOver, stateFlips, volatilityBps } from './lane-read';
import type { PacketTrace } from './packet-trace';

/** The instant a scheduled lane stands at for a packet at T: the last multiple of `everyMs` at or before T − `lagMs`. */
export function laneInstant(windowEndMs: number, everyMs: number, lagMs: number): number {
  return Math.floor((windowEndMs - lagMs) / everyMs) * everyMs;
}

/** session_regime at its instant: up to 2,160 packets at or before it; null while there is none. */
export function sessionLane(traces: readonly PacketTrace[], asOfMs: number, numbers: PolicyNumbers): LaneRead | null {
  const window = traces.filter((trace) => trace.windowEndMs <= asOfMs).slice(-numbers.lanes.session_packets);
  const oldest = window[0];
  const newest = window.at(-1);
  if (oldest === undefined || newest === undefined) return null;
  return laneOver(
    window,
    asOfMs,
    numbers.lanes.session_full_packets,
    {
      pressure_abs_mean: knownMean(window, (trace) => knownScore(trace, 'pressure')),
      flow_abs_mean: knownMean(window, (trace) => knownScore(trace, 'flow')),
      fragility_mean: knownMean(window, (trace) => knownScore(trace, 'fragility')),
      crowding_mean: knownMean(window, (trace) => knownScore(trace, 'crowding')),
      regime_score: knownScore(newest, 'regime'),
      realized_vol_short_bps: volatilityBps(newest.volatilityShort),
      realized_vol_session_bps: volatilityBps(newest.volatilitySession),
      state_flips: stateFlips(window),
      session_minutes: round6((newest.windowEndMs - oldest.windowEndMs) / 60_000),
    },
    numbers,
  );
}
