import { confidenceLabel } from '../decision/packet-scores';
import { KnownMean } from '../numbers/samples';
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
function laneOver(
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
function volatilityBps(volatility: number | null): number {
  return volatility === null ? 0 : round6(10_000 * volatility);
}

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
