import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { STATES, type LaneRead, type StateName } from '../read';
import { dominantState, laneConfidence, stateFlips, stateTotals, type StateTotals, type PacketTrace } from './lane-read';

/** Aggregate of (endMs − 300 s, endMs], summed in packet order. */
export interface HistoryBlock {
  readonly endMs: number;
  readonly packets: number;
  readonly stateTotals: StateTotals;
  readonly stateFlips: number;
  readonly severitySum: number;
  readonly confidenceSum: number;
  readonly lowMid: number | null;
  readonly highMid: number | null;
}

export function historyBlocks(traces: readonly PacketTrace[], afterMs: number, untilMs: number, blockMs: number): readonly HistoryBlock[] {
  const groups = new Map<number, PacketTrace[]>();
  for (const trace of traces) {
    if (trace.windowEndMs <= afterMs || trace.windowEndMs > untilMs) continue;
    const endMs = Math.ceil(trace.windowEndMs / blockMs) * blockMs;
    const group = groups.get(endMs);
    if (group === undefined) groups.set(endMs, [trace]);
    else group.push(trace);
  }
  return [...groups].map(([endMs, group]) => blockOf(endMs, group));
}

/**
 * historical_replay at its instant: up to 288 blocks (24 h) that ended at or before it; null without any. Severity mean
 * 0 to 1; flips count within blocks; price_range_bps 10,000 × (highest mid / lowest mid − 1); history_hours of the
 * packets covered; 6 decimals. Source: ours.
 */
export function historyLane(blocks: readonly HistoryBlock[], asOfMs: number, numbers: PolicyNumbers): LaneRead | null {
  const packets = total(blocks, (block) => block.packets);
  if (packets === 0) return null;
  const totals = Object.fromEntries(STATES.map((state) => [state, total(blocks, (block) => block.stateTotals[state])])) as Record<
    StateName,
    number
  >;
  const { state, share } = dominantState(totals, packets);
  const mids = blocks.flatMap((block) => (block.lowMid === null || block.highMid === null ? [] : [block.lowMid, block.highMid]));
  return {
    asOfMs,
    state,
    confidence: laneConfidence(
      round6(total(blocks, (block) => block.confidenceSum) / packets),
      packets,
      numbers.lanes.history_full_packets,
      numbers,
    ),
    sampleTotal: packets,
    stateShare: share,
    numbers: {
      severity_mean: round6(total(blocks, (block) => block.severitySum) / packets),
      state_flips: total(blocks, (block) => block.stateFlips),
      price_range_bps: mids.length === 0 ? 0 : round6(10_000 * (Math.max(...mids) / Math.min(...mids) - 1)),
      history_hours: round6((packets * numbers.windows.packet_interval_ms) / 3_600_000),
    },
  };
}

function blockOf(endMs: number, traces: readonly PacketTrace[]): HistoryBlock {
  const mids = traces.map((trace) => trace.mid).filter((mid) => mid !== null);
  return {
    endMs,
    packets: traces.length,
    stateTotals: stateTotals(traces),
    stateFlips: stateFlips(traces),
    severitySum: total(traces, (trace) => trace.severity),
    confidenceSum: total(traces, (trace) => trace.confidence),
    lowMid: mids.length === 0 ? null : Math.min(...mids),
    highMid: mids.length === 0 ? null : Math.max(...mids),
  };
}

function total<T>(items: readonly T[], read: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += read(item);
  return sum;
}
