import { absorptionBound, classifyEvent, type EventRead } from '../src/decision/event-class';
import { scoreCandidates } from '../src/decision/decide';
import type { Packet } from '../src/packet/packet';
import type { Side, StateName } from '../src/read';
import { COMPOSITES, type CompositeName } from '../src/names';
import { heldMemories, holdComposites } from '../src/composites/thresholds';
import { policy } from './packet-read';

/** Differences of the next packet from this one. */
export interface Change {
  readonly scores?: Partial<Record<CompositeName, number>>;
  readonly flowSide?: Side;
  readonly moveBps?: number;
}

export interface NextPacket extends EventRead {
  readonly open: readonly StateName[];
}

const SIDES: Readonly<Record<string, Side>> = { bid: 1, buy: 1, shorts: 1, ask: -1, sell: -1, longs: -1, none: 0 };

export function nextPacket(packet: Packet, change: Change): NextPacket {
  const { composites: traces, candidate_states: candidates } = packet.state_decision_trace;
  const { numbers } = policy;
  const byName = <T>(make: (name: CompositeName) => T) =>
    Object.fromEntries(COMPOSITES.map((name) => [name, make(name)])) as Record<CompositeName, T>;
  const sideOf = (name: CompositeName): Side => SIDES[traces[name].side] ?? 0;
  const signals = byName((name) => ({
    score: change.scores?.[name] ?? traces[name].score ?? 0,
    side: name === 'flow' ? (change.flowSide ?? sideOf(name)) : sideOf(name),
    available: traces[name].score !== null,
  }));
  const before = heldMemories(byName((name) => ({ side: sideOf(name), heldPackets: traces[name].held_packets })));
  const pairs = byName((name) => ({ watch: traces[name].watch, elevated: traces[name].elevated }));
  const held = holdComposites(signals, pairs, before, numbers.calibration.leave_ratio);
  const composites = byName((name) => ({ ...pairs[name], ...signals[name], ...held[name], norm: traces[name].norm ?? 0, terms: [] }));
  const crowdingOf = (state: StateName, term: string) => candidates.find((candidate) => candidate.state === state)?.terms[term] ?? null;
  const scored = scoreCandidates(
    {
      composites,
      pressureSide: signals.pressure.side,
      flowSide: signals.flow.side,
      imbalance5: packet.state_decision_trace.imbalances.top5 ?? 0,
      activity: candidates.find(({ state }) => state === 'pressure_building')?.terms['activity'] ?? 1,
      // The crowding states look back; the test sets whether their history suffices.
      crowding: crowdingOf('crowding_shift', 'crowding_change') ?? 0,
      crowdingWatch: traces.crowding.watch,
      earlierCrowding: [],
      sourceSupportRatio: packet.packet_quality.source_support_ratio,
      bookSeen: true,
      bookStale: false,
    },
    numbers,
  );
  const shift = (crowdingOf('crowding_shift', 'crowding_change') ?? 0) >= numbers.candidates.crowding_shift_open_from;
  const persists = (crowdingOf('crowding_persistent', 'crowded_share') ?? 0) >= numbers.candidates.crowding_persistent_open_from;
  const looksBack: Partial<Record<StateName, boolean>> = { crowding_shift: shift, crowding_persistent: persists };
  const open = scored.filter((candidate) =>
    candidate.state in looksBack ? held.crowding.held && looksBack[candidate.state] === true : candidate.open === true,
  );
  return {
    ...classifyEvent({
      winner: packet.state_diagnosis.winner_state,
      composites,
      priceMoveBpsAbs: change.moveBps ?? packet.driver_strengths.lineage_price_move_bps_abs ?? 0,
      absorptionBoundBps: absorptionBound(packet.driver_strengths.spread_bps ?? 0, packet.event_class, numbers),
    }),
    open: open.map(({ state }) => state),
  };
}
