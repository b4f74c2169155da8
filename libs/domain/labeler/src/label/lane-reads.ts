import { confidenceLabel } from '../decision/packet-scores';
import { KnownMean } from '../numbers/samples';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { STATES, type LaneRead, type StateName, type PacketRead } from '../read';
import type { CompositeName } from '../names';
import type { Ring } from '../windows/ring';

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

interface LaneMemory {
  asOfMs: number;
  read: LaneRead | null;
}

/** Packets and blocks that the scheduled lanes read, and their newest reads. */
export interface LanesMemory {
  readonly history: Ring<PacketTrace>;
  readonly sessionLane: LaneMemory;
  readonly historyLane: LaneMemory;
  readonly historyBlocks: Ring<HistoryBlock>;
}

/**
 * Lanes read at scheduled instants: session_regime at the last multiple of 60 s at or before T − 10 s,
 * historical_replay at the last multiple of 300 s at or before T − 60 s. Each is read once per instant, at its first
 * packet.
 */
export function scheduledLanes(
  memory: LanesMemory,
  windowEndMs: number,
  numbers: PolicyNumbers,
): Pick<PacketRead['lanes'], 'sessionRegime' | 'historicalReplay'> {
  const { lanes } = numbers;
  const sessionMs = laneInstant(windowEndMs, lanes.session_every_ms, lanes.session_lag_ms);
  if (memory.sessionLane.asOfMs !== sessionMs) {
    memory.sessionLane.asOfMs = sessionMs;
    memory.sessionLane.read = sessionLane([...memory.history], sessionMs, numbers);
  }
  const historyMs = laneInstant(windowEndMs, lanes.history_every_ms, lanes.history_lag_ms);
  if (memory.historyLane.asOfMs !== historyMs) {
    const blocks = historyBlocks([...memory.history], memory.historyLane.asOfMs, historyMs, lanes.history_every_ms);
    for (const block of blocks) memory.historyBlocks.push(block);
    memory.historyLane.asOfMs = historyMs;
    memory.historyLane.read = historyLane([...memory.historyBlocks], historyMs, numbers);
  }
  return { sessionRegime: memory.sessionLane.read, historicalReplay: memory.historyLane.read };
}
