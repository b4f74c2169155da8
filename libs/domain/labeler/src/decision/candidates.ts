import { term } from '../composites/signal';
import { meanOf } from '../numbers/mean';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { STATES, type Candidate, type CompositeName, type Side, type StateName, type Term } from '../read';

/** What the ten scores read. Norms are the composites against their thresholds (X̂). */
export interface CandidateInput {
  readonly norms: Readonly<Record<CompositeName, number>>;
  readonly pressureSide: Side;
  readonly flowSide: Side;
  /** Signed flow f. */
  readonly flow: number;
  /** Signed flow of up to 30 packets before this one, oldest first. */
  readonly earlierFlows: readonly number[];
  readonly crowding: number;
  readonly crowdingWatch: number;
  /** C of up to 60 packets before this one, oldest first. */
  readonly earlierCrowding: readonly number[];
  readonly sourceSupportRatio: number;
  readonly bookSeen: boolean;
  /** The book is older than its staleness limit. */
  readonly bookStale: boolean;
}

type Scored = Omit<Candidate, 'state'>;

/**
 * The ten candidate states in table order, each with its score and the terms that made it. Scores have no unit, lie in 0..1 and have 6
 * decimals; they read this packet's norms and, where a mean or share is named, up to 30 or 60 packets before it. Source: ours, all ten.
 */
export function scoreCandidates(input: CandidateInput, numbers: PolicyNumbers): readonly Candidate[] {
  const scored: Readonly<Record<StateName, Scored>> = {
    insufficient_evidence: insufficientEvidence(input, numbers),
    replay_context_ready: { score: input.bookStale ? 1 : 0, terms: [term('book_stale', input.bookStale ? 1 : 0)] },
    pressure_building: pressureBuilding(input, numbers),
    flow_shift_watch: flowShiftWatch(input, numbers),
    fragile_depth_watch: { score: input.norms.fragility, terms: [term('fragility_norm', input.norms.fragility)] },
    depth_watch: depthWatch(input, numbers),
    crowding_shift: crowdingShift(input, numbers),
    crowding_persistent: crowdingPersistent(input, numbers),
    regime_transition_candidate: {
      score: round6(numbers.candidates.regime_weight * input.norms.regime),
      terms: [term('regime_norm', input.norms.regime)],
    },
    market_state_watch: { score: numbers.candidates.floor_score, terms: [term('floor', numbers.candidates.floor_score)] },
  };
  return STATES.map((state) => ({ state, ...scored[state] }));
}

/** 1 without any book, or with source_support_ratio under 0.4; else 0. */
function insufficientEvidence(input: CandidateInput, numbers: PolicyNumbers): Scored {
  const insufficient = !input.bookSeen || input.sourceSupportRatio < numbers.candidates.support_minimum;
  return {
    score: insufficient ? 1 : 0,
    terms: [term('book_seen', input.bookSeen ? 1 : 0), term('source_support_ratio', input.sourceSupportRatio)],
  };
}

/** 0.6 P̂ + 0.4 F̂ if book and flow lean to one side, else 0.6 P̂ × (1 − 0.5 F̂). */
function pressureBuilding({ norms, pressureSide, flowSide }: CandidateInput, { candidates }: PolicyNumbers): Scored {
  const aligned = pressureSide === flowSide;
  const score = aligned
    ? candidates.pressure_weight * norms.pressure + candidates.flow_weight * norms.flow
    : candidates.pressure_weight * norms.pressure * (1 - candidates.disagreement_discount * norms.flow);
  return { score: round6(score), terms: [...pressureAndFlow(norms), term('sides_agree', aligned ? 1 : 0)] };
}

/** (0.7 F̂ + 0.3 min(1, |f − mean f of the last 30 packets|)) × (1 − 0.5 P̂). */
function flowShiftWatch({ norms, flow, earlierFlows }: CandidateInput, { candidates }: PolicyNumbers): Scored {
  const mean = meanOf(earlierFlows, flow);
  const change = round6(Math.min(1, Math.abs(flow - mean)));
  const level = candidates.flow_shift_level_weight * norms.flow + candidates.flow_shift_change_weight * change;
  return {
    score: round6(level * (1 - candidates.flow_shift_pressure_discount * norms.pressure)),
    terms: [...pressureAndFlow(norms), term('flow_mean', mean), term('flow_change', change)],
  };
}

/** 0.95 P̂ × (1 − F̂). */
function depthWatch({ norms }: CandidateInput, { candidates }: PolicyNumbers): Scored {
  return { score: round6(candidates.depth_weight * norms.pressure * (1 - norms.flow)), terms: pressureAndFlow(norms) };
}

/** Ĉ × min(1, |C − mean C of the last 60 packets| / 0.10). */
function crowdingShift({ norms, crowding, earlierCrowding }: CandidateInput, { candidates }: PolicyNumbers): Scored {
  const mean = meanOf(earlierCrowding, crowding);
  const change = round6(Math.min(1, Math.abs(crowding - mean) / candidates.crowding_full_change));
  return {
    score: round6(norms.crowding * change),
    terms: [term('crowding_norm', norms.crowding), term('crowding_mean', mean), term('crowding_change', change)],
  };
}

/** Ĉ × share of the last 60 packets with C at or above crowding_watch; 0 until there are 60. */
function crowdingPersistent({ norms, crowdingWatch, earlierCrowding }: CandidateInput, { minimums }: PolicyNumbers): Scored {
  const enough = earlierCrowding.length >= minimums.crowding_share_packets;
  const share = enough ? round6(earlierCrowding.filter((value) => value >= crowdingWatch).length / earlierCrowding.length) : null;
  return {
    score: round6(norms.crowding * (share ?? 0)),
    terms: [term('crowding_norm', norms.crowding), term('crowded_share', share)],
  };
}

function pressureAndFlow(norms: CandidateInput['norms']): readonly Term[] {
  return [term('pressure_norm', norms.pressure), term('flow_norm', norms.flow)];
}
