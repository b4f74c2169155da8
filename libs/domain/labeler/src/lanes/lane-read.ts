import { confidenceLabel } from '../classify/packet-scores';
import { KnownMean } from '../numbers/mean';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { STATES, type CompositeName, type LaneRead, type StateName } from '../read';
import type { PacketTrace } from './packet-trace';

/** Packets of each state, by state. */
export type StateTotals = Readonly<Record<StateName, number>>;

/** The state that held most packets (ties: the higher row) and its share of them, 0..1, 6 decimals. Source: ours, a plurality. */
export function dominantState(totals: StateTotals, packets: number): { readonly state: StateName; readonly share: number } {
  const state = STATES.reduce((best, candidate) => (totals[candidate] > totals[best] ? candidate : best));
  return { state, share: packets === 0 ? 0 : round6(totals[state] / packets) };
}

export function stateTotals(traces: readonly Pick<PacketTrace, 'state'>[]): StateTotals {
  const totals = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<StateName, number>;
  for (const trace of traces) totals[trace.state]++;
  return totals;
}

/** How often the published state differs from that of the packet before it: a whole number, 0 to packets − 1. */
export function stateFlips(traces: readonly PacketTrace[]): number {
  let flips = 0;
  for (let index = 1; index < traces.length; index++) if (traces[index]?.state !== traces[index - 1]?.state) flips++;
  return flips;
}

/**
 * A lane's confidence: mean packet confidence × min(1, packets / the packets that fill the lane). 0..1, no unit, 6 decimals. Source: ours.
 */
export function laneConfidence(
  meanConfidence: number,
  packets: number,
  fullPackets: number,
  numbers: PolicyNumbers,
): LaneRead['confidence'] {
  const score = round6(meanConfidence * round6(Math.min(1, packets / fullPackets)));
  return { score, label: confidenceLabel(score, numbers.confidence) };
}

/** Mean over the traces, oldest first, of what is known; null when nothing is. */
export function knownMean(traces: readonly PacketTrace[], read: (trace: PacketTrace) => number | null): number | null {
  const known = new KnownMean();
  for (const trace of traces) {
    const value = read(trace);
    if (value !== null) known.add(value);
  }
  return known.mean();
}

/** A composite's score in that packet; null where it could not be read. */
export function knownScore({ available, scores }: PacketTrace, name: CompositeName): number | null {
  return available[name] ? scores[name] : null;
}

/**
 * The lane read over `traces`, whose newest is at `asOfMs` and whose mean confidence is given; numbers that are null are left out. @throws
 * Error without a packet.
 */
export function laneOver(
  traces: readonly PacketTrace[],
  asOfMs: number,
  fullPackets: number,
  confidenceMean: number | null,
  laneNumbers: Readonly<Record<string, number | null>>,
  numbers: PolicyNumbers,
): LaneRead {
  const { state, share } = dominantState(stateTotals(traces), traces.length);
  return {
    asOfMs,
    state,
    confidence: laneConfidence(confidenceMean ?? 0, traces.length, fullPackets, numbers),
    sampleTotal: traces.length,
    stateShare: share,
    numbers: Object.fromEntries(Object.entries(laneNumbers).filter((entry): entry is [string, number] => entry[1] !== null)),
  };
}

/** A volatility in basis points a 10 s step, for people: 10,000 × it, at least 0, 6 decimals; 0 while it is unknown. */
export function volatilityBps(volatility: number | null): number {
  return volatility === null ? 0 : round6(10_000 * volatility);
}
