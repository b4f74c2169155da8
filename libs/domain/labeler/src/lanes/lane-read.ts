import { confidenceLabel } from '../classify/packet-scores';
import { KnownMean } from '../numbers/mean';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { STATES, type CompositeName, type LaneRead, type StateName } from '../read';

export interface PacketTrace {
  readonly windowEndMs: number;
  readonly winner: StateName;
  readonly state: StateName;
  /** Not rounded; null without a book. */
  readonly mid: number | null;
  readonly bookTsMs: number | null;
  readonly fresh: boolean;
  readonly pressure: number;
  readonly flow: number;
  /** 0 for composites that could not be read. */
  readonly scores: Readonly<Record<CompositeName, number>>;
  readonly available: Readonly<Record<CompositeName, boolean>>;
  readonly spreadBps: number | null;
  readonly severity: number;
  readonly confidence: number;
  readonly volatilityShort: number | null;
  readonly volatilitySession: number | null;
}

export type StateTotals = Readonly<Record<StateName, number>>;

/** State with the most packets (ties: the higher row) and its share, 0 to 1, 6 decimals. Source: ours, a plurality. */
export function dominantState(totals: StateTotals, packets: number): { readonly state: StateName; readonly share: number } {
  const state = STATES.reduce((best, candidate) => (totals[candidate] > totals[best] ? candidate : best));
  return { state, share: packets === 0 ? 0 : round6(totals[state] / packets) };
}

export function stateTotals(traces: readonly Pick<PacketTrace, 'state'>[]): StateTotals {
  const totals = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<StateName, number>;
  for (const trace of traces) totals[trace.state]++;
  return totals;
}

export function stateFlips(traces: readonly PacketTrace[]): number {
  let flips = 0;
  for (let index = 1; index < traces.length; index++) if (traces[index]?.state !== traces[index - 1]?.state) flips++;
  return flips;
}

/**
 * Lane confidence: mean packet confidence × min(1, packets / the packets that fill the lane), 0 to 1, 6 decimals.
 * Source: ours.
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

export function knownMean(traces: readonly PacketTrace[], read: (trace: PacketTrace) => number | null): number | null {
  const known = new KnownMean();
  for (const trace of traces) {
    const value = read(trace);
    if (value !== null) known.add(value);
  }
  return known.mean();
}

export function knownScore({ available, scores }: PacketTrace, name: CompositeName): number | null {
  return available[name] ? scores[name] : null;
}

/** @throws Error without a packet */
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

/** 10,000 × volatility, 6 decimals; 0 while unknown. */
export function volatilityBps(volatility: number | null): number {
  return volatility === null ? 0 : round6(10_000 * volatility);
}
