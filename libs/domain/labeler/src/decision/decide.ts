import { round6 } from '../numbers/round';
import {
  type Candidate,
  type MarketRead,
  STATES,
  type CompositeName,
  type CompositeRead,
  type Side,
  type StateName,
  type Term,
} from '../read';
import { term } from '../composites/composites';
import { meanOf } from '../numbers/samples';
import type { PolicyNumbers } from '../policy/numbers';

interface PacketInput {
  readonly composites: Readonly<Record<CompositeName, Pick<CompositeRead, 'norm' | 'held'>>>;
  readonly pressureSide: Side;
  readonly flowSide: Side;
  readonly sourceSupportRatio: number;
  readonly bookSeen: boolean;
  readonly bookStale: boolean;
}

export interface CandidateInput extends PacketInput {
  readonly crowding: number;
  readonly crowdingWatch: number;
  readonly earlierCrowding: readonly number[];
}

export interface ScoreInput extends PacketInput {
  readonly crowding: CrowdingHistory;
}

interface CrowdingHistory {
  readonly mean: number;
  readonly change: number;
  /** Share of those packets with C at or above watch; null with fewer than 60. */
  readonly share: number | null;
}

type Scored = Omit<Candidate, 'state'>;
type Candidates = PolicyNumbers['candidates'];

/**
 * Ten candidate states in table order with scores (0 to 1, 6 decimals) and terms. Seven are open or not: an open state
 * scores at least 0.36, a closed one at most 0.34, and the floor of 0.35 lies between, so it wins exactly if nothing is
 * open. Reads this packet's norms, what is held, and C of up to 60 earlier packets. Source: ours, all ten.
 */
export function scoreCandidates(input: CandidateInput, numbers: PolicyNumbers): readonly Candidate[] {
  return scoreStates({ ...input, crowding: crowdingHistory(input, numbers) }, numbers);
}

export function scoreStates(input: ScoreInput, numbers: PolicyNumbers): readonly Candidate[] {
  const { candidates } = numbers;
  const { fragility, regime } = input.composites;
  const scored: Readonly<Record<StateName, Scored>> = {
    insufficient_evidence: insufficientEvidence(input, candidates),
    replay_context_ready: { score: input.bookStale ? 1 : 0, terms: [term('book_stale', input.bookStale ? 1 : 0)], open: null },
    pressure_building: pressureBuilding(input, candidates),
    flow_shift_watch: flowShiftWatch(input, candidates),
    fragile_depth_watch: gated(fragility.held, fragility.norm, [term('fragility_norm', fragility.norm)], candidates),
    depth_watch: depthWatch(input, candidates),
    crowding_shift: crowdingShift(input, candidates),
    crowding_persistent: crowdingPersistent(input, candidates),
    regime_transition_candidate: gated(regime.held, candidates.regime_weight * regime.norm, [term('regime_norm', regime.norm)], candidates),
    market_state_watch: { score: candidates.floor_score, terms: [term('floor', candidates.floor_score)], open: null },
  };
  return STATES.map((state) => ({ state, ...scored[state] }));
}

function gated(open: boolean, formula: number, terms: readonly Term[], candidates: Candidates): Scored {
  const score = round6(formula);
  return {
    score: open ? Math.max(score, candidates.open_score) : Math.min(score, candidates.closed_score),
    terms: [...terms, term('open', open ? 1 : 0)],
    open,
  };
}

/** 1 without any book, or if source_support_ratio is below 0.4; else 0. */
function insufficientEvidence(input: PacketInput, candidates: Candidates): Scored {
  const insufficient = !input.bookSeen || input.sourceSupportRatio < candidates.support_minimum;
  return {
    score: insufficient ? 1 : 0,
    terms: [term('book_seen', input.bookSeen ? 1 : 0), term('source_support_ratio', input.sourceSupportRatio)],
    open: null,
  };
}

/** 0.6 P̂ + 0.4 F̂, open while both are held on one side. */
function pressureBuilding({ composites: { pressure, flow }, pressureSide, flowSide }: PacketInput, candidates: Candidates): Scored {
  const aligned = pressureSide === flowSide;
  return gated(
    pressure.held && flow.held && aligned,
    candidates.pressure_weight * pressure.norm + candidates.flow_weight * flow.norm,
    [term('pressure_norm', pressure.norm), term('flow_norm', flow.norm), term('sides_agree', aligned ? 1 : 0)],
    candidates,
  );
}

/** F̂ × (1 − 0.5 P̂), open while flow is held. */
function flowShiftWatch({ composites: { pressure, flow } }: PacketInput, candidates: Candidates): Scored {
  const formula = flow.norm * (1 - candidates.flow_shift_pressure_discount * pressure.norm);
  return gated(flow.held, formula, [term('pressure_norm', pressure.norm), term('flow_norm', flow.norm)], candidates);
}

/** 0.95 P̂ × (1 − F̂), open while pressure is held. */
function depthWatch({ composites: { pressure, flow } }: PacketInput, candidates: Candidates): Scored {
  const formula = candidates.depth_weight * pressure.norm * (1 - flow.norm);
  return gated(pressure.held, formula, [term('pressure_norm', pressure.norm), term('flow_norm', flow.norm)], candidates);
}

/** Ĉ × min(1, |C − mean C of the last 60 packets| / 0.10), open while crowding is held and that change is at least 0.5. */
function crowdingShift({ composites, crowding: { mean, change } }: ScoreInput, candidates: Candidates): Scored {
  const { norm, held } = composites.crowding;
  return gated(
    held && change >= candidates.crowding_shift_open_from,
    norm * change,
    [term('crowding_norm', norm), term('crowding_mean', mean), term('crowding_change', change)],
    candidates,
  );
}

/** Ĉ × share of the last 60 packets with C at or above crowding_watch, open while crowding is held and the share is at least 0.5. */
function crowdingPersistent({ composites, crowding: { share } }: ScoreInput, candidates: Candidates): Scored {
  const { norm, held } = composites.crowding;
  return gated(
    held && share !== null && share >= candidates.crowding_persistent_open_from,
    norm * (share ?? 0),
    [term('crowding_norm', norm), term('crowded_share', share)],
    candidates,
  );
}

function crowdingHistory({ crowding, crowdingWatch, earlierCrowding }: CandidateInput, numbers: PolicyNumbers): CrowdingHistory {
  const mean = meanOf(earlierCrowding, crowding);
  const enough = earlierCrowding.length >= numbers.minimums.crowding_share_packets;
  const atWatch = earlierCrowding.filter((value) => value >= crowdingWatch).length;
  return {
    mean,
    change: crowdingChange(crowding, mean, numbers),
    share: enough ? round6(atWatch / earlierCrowding.length) : null,
  };
}

export function crowdingChange(crowding: number, mean: number, { candidates }: PolicyNumbers): number {
  return round6(Math.min(1, Math.abs(crowding - mean) / candidates.crowding_full_change));
}

/**
 * Raw decision: the highest score wins, ties go to the higher row; margin = winner − runner-up, 0 to 1, 6 decimals.
 * Source: ours.
 */
export function decide(candidates: readonly Candidate[]): MarketRead['decision'] {
  const [winner, runnerUp] = ranked(candidates);
  if (winner === undefined || runnerUp === undefined) throw new Error('a decision needs two candidates');
  return {
    winner: winner.state,
    winnerScore: winner.score,
    runnerUp: runnerUp.state,
    runnerUpScore: runnerUp.score,
    margin: round6(winner.score - runnerUp.score),
    candidates,
  };
}

function ranked(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...candidates].sort((a, b) => b.score - a.score);
}
