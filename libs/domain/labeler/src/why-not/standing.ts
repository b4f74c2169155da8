import { type ScoreInput, scoreStates } from '../decision/decide';
import type { CandidateState, CompositeSide, CompositeTrace } from '../packet/decision-trace';
import type { Packet } from '../packet/packet';
import type { PolicyNumbers } from '../policy/numbers';
import { STATES, type Candidate, type CompositeName, type Side, type StateName } from '../read';
import { mapComposites } from '../thresholds/calibration';

export type DecidedPacket = Pick<Packet, 'state_decision_trace' | 'previous_lineage_digest'>;

export interface Standing {
  readonly score: number;
  readonly side: Side;
  readonly norm: number;
  readonly held: boolean;
  readonly heldPackets: number;
  readonly leaveAt: number;
  readonly watch: number;
  readonly elevated: number;
  readonly available: boolean;
}
export type Standings = Readonly<Record<CompositeName, Standing>>;

export interface Decided {
  readonly winner: StateName;
  readonly runnerUp: StateName;
  readonly standings: Standings;
  readonly input: ScoreInput;
  /** First packet of its chain: nothing was held before, and C has no mean but itself. */
  readonly isFirst: boolean;
}

const SIDES: Readonly<Record<CompositeSide, Side>> = { bid: 1, buy: 1, shorts: 1, ask: -1, sell: -1, longs: -1, none: 0 };

export function sideOf({ side }: CompositeTrace): Side {
  return SIDES[side];
}

/** Null if the packet's scores do not follow from its trace under this policy. */
export function decidedOf(packet: DecidedPacket, numbers: PolicyNumbers): Decided | null {
  const trace = packet.state_decision_trace;
  const termOf = (state: StateName, term: string): number | null =>
    trace.candidate_states.find((candidate) => candidate.state === state)?.terms[term] ?? null;
  const standings = mapComposites((name) => standingOf(trace.composites[name]));
  const input: ScoreInput = {
    composites: standings,
    pressureSide: standings.pressure.side,
    flowSide: standings.flow.side,
    sourceSupportRatio: termOf('insufficient_evidence', 'source_support_ratio') ?? 0,
    bookSeen: termOf('insufficient_evidence', 'book_seen') === 1,
    bookStale: termOf('replay_context_ready', 'book_stale') === 1,
    crowding: {
      mean: termOf('crowding_shift', 'crowding_mean') ?? standings.crowding.score,
      change: termOf('crowding_shift', 'crowding_change') ?? 0,
      share: termOf('crowding_persistent', 'crowded_share'),
    },
  };
  if (!isSame(scoreStates(input, numbers), trace.candidate_states)) return null;
  const isFirst = /^0+$/.test(packet.previous_lineage_digest);
  return { winner: trace.winner_state, runnerUp: trace.runner_up_state, standings, input, isFirst };
}

function standingOf(trace: CompositeTrace): Standing {
  const { score, norm, held, held_packets: heldPackets, leave_at: leaveAt, watch, elevated } = trace;
  return {
    ...{ held, heldPackets, leaveAt, watch, elevated },
    score: score ?? 0,
    norm: norm ?? 0,
    side: sideOf(trace),
    available: score !== null,
  };
}

function isSame(made: readonly Candidate[], reported: readonly CandidateState[]): boolean {
  return STATES.every((state) => {
    const [one, other] = [made, reported].map((list: readonly (Candidate | CandidateState)[]) => list.find((each) => each.state === state));
    return one !== undefined && one.score === other?.score;
  });
}
