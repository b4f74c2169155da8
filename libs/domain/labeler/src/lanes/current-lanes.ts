import type { PolicyNumbers } from '../policy/numbers';
import type { LaneRead } from '../read';
import { knownMean, knownScore, laneOver, stateFlips, volatilityBps } from './lane-read';
import type { PacketTrace } from './packet-trace';

/**
 * short_window at T: the last 30 packets, this one in. `traces` are this packet and those before it, oldest first. Means in the unit of
 * what they are of (signed p and f −1..1, Q and L 0..1, spread in basis points), 6 decimals, over the packets that could read it. Source:
 * ours.
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

/** event_lineage at T: the last 6 packets, this one in; mean severity 0..1, flips in packets. Source: ours. */
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
