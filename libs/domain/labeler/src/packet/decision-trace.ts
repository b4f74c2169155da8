import type { Policy } from '../policy/policy';
import {
  type MarketRead,
  type PublicationRule,
  type StateName,
  type Candidate,
  type Term,
  SOURCE_STATES,
  type ThresholdRead,
} from '../read';
import { COMPOSITES, type CompositeName } from '../names';
import { absenceOf, compositeLevel, type CompositeLevel, nearestThreshold } from './market-facts';
import { termValues, withNotes, type TermNotes, type Terms } from './scores';
import type { PolicyNumbers } from '../policy/numbers';

export type CompositeSide = 'bid' | 'ask' | 'buy' | 'sell' | 'shorts' | 'longs' | 'none';

/** Without a source, or with too few samples, score and norm are null and count as 0. */
export interface CompositeTrace {
  readonly score: number | null;
  readonly norm: number | null;
  readonly side: CompositeSide;
  readonly level: CompositeLevel;
  readonly watch: number;
  readonly elevated: number;
  /** Reached `enter_at`, or was held on this side in the previous packet and is not below `leave_at`. */
  readonly held: boolean;
  readonly enter_at: number;
  readonly leave_at: number;
  /** Including this packet; 0 if not held. */
  readonly held_packets: number;
  readonly terms: Terms;
  readonly term_notes?: TermNotes;
}
type CompositeTraces = Readonly<Record<CompositeName, CompositeTrace>>;

const SIDES: Readonly<Partial<Record<CompositeName, readonly [CompositeSide, CompositeSide]>>> = {
  pressure: ['bid', 'ask'],
  flow: ['buy', 'sell'],
  forced_flow: ['shorts', 'longs'],
};

const NO_SIDE = ['none', 'none'] as const;

function compositeTraces(read: MarketRead): CompositeTraces {
  return Object.fromEntries(COMPOSITES.map((name) => [name, compositeTrace(read, name)])) as Record<CompositeName, CompositeTrace>;
}

function compositeTrace(read: MarketRead, name: CompositeName): CompositeTrace {
  const { available, score, norm, side, watch, elevated, held, leaveAt, heldPackets, terms } = read.composites[name];
  const [positive, negative] = SIDES[name] ?? NO_SIDE;
  return {
    score: available ? score : null,
    norm: available ? norm : null,
    side: side > 0 ? positive : side < 0 ? negative : 'none',
    level: compositeLevel(read, name),
    watch,
    elevated,
    held,
    enter_at: watch,
    leave_at: leaveAt,
    held_packets: heldPackets,
    terms: termValues(terms),
    ...withNotes(terms),
  };
}

export interface CrossedThreshold {
  readonly feature_id: string;
  readonly threshold: number;
  readonly value: number;
  readonly distance: number;
  readonly crossed: boolean;
  readonly crossing_class: 'crossed' | 'near_threshold';
}

interface ThresholdCrossings {
  readonly crossed_total: number;
  readonly near_threshold_total: number;
  readonly nearest: Pick<CrossedThreshold, 'feature_id' | 'distance'> | null;
}

export function crossedThresholds(read: MarketRead): readonly CrossedThreshold[] {
  return read.thresholds.flatMap(({ featureId, threshold, value, distance, crossingClass }) =>
    crossingClass === 'below'
      ? []
      : [{ feature_id: featureId, threshold, value, distance, crossed: crossingClass === 'crossed', crossing_class: crossingClass }],
  );
}

function thresholdCrossings(read: MarketRead): ThresholdCrossings {
  const totalOf = (crossingClass: ThresholdRead['crossingClass']) =>
    read.thresholds.filter((threshold) => threshold.crossingClass === crossingClass).length;
  const nearest = nearestThreshold(read);
  return {
    crossed_total: totalOf('crossed'),
    near_threshold_total: totalOf('near_threshold'),
    nearest: nearest === null ? null : { feature_id: nearest.featureId, distance: nearest.distance },
  };
}

type RejectionReason =
  | 'outscored'
  | 'tie_lost_to_higher_row'
  | 'score_zero'
  | 'source_missing'
  | 'not_measurable'
  | 'not_triggered'
  | 'overridden_by_source_state'
  | 'not_open';

interface RejectedState {
  readonly state: StateName;
  readonly reason: RejectionReason;
}

function rejectedStates(read: MarketRead, numbers: PolicyNumbers): readonly RejectedState[] {
  const { winner, candidates } = read.decision;
  return candidates
    .filter((candidate) => candidate.state !== winner)
    .map((candidate) => ({
      state: candidate.state,
      reason: rejectionReason(candidate, read, numbers),
    }));
}

function rejectionReason(candidate: Candidate, read: MarketRead, numbers: PolicyNumbers): RejectionReason {
  const { winner, winnerScore } = read.decision;
  if (SOURCE_STATES.includes(candidate.state) && candidate.score === 0) return 'not_triggered';
  if (SOURCE_STATES.includes(winner)) return 'overridden_by_source_state';
  const absence = absenceOfAll(candidate.state, read, numbers);
  if (absence !== null) return absence === 'not_available' ? 'not_measurable' : absence;
  if (candidate.open === false) return 'not_open';
  if (candidate.score === winnerScore) return 'tie_lost_to_higher_row';
  return candidate.score === 0 ? 'score_zero' : 'outscored';
}

/** Common reason that none of the state's composites can be read; else null. */
function absenceOfAll(state: StateName, read: MarketRead, numbers: PolicyNumbers): 'source_missing' | 'not_available' | null {
  const absences = numbers.state_composites[state].map((name) => absenceOf(read, name));
  if (absences.length === 0 || absences.includes(null)) return null;
  return absences.includes('source_missing') ? 'source_missing' : 'not_available';
}

export interface CandidateState {
  readonly state: StateName;
  readonly score: number;
  readonly terms: Terms;
  readonly term_notes?: TermNotes;
}

function candidateStates(read: MarketRead): readonly CandidateState[] {
  const { candidates } = read.decision;
  return candidates.map((candidate) => {
    const terms = candidate.terms.filter(isItsOwn).map((term) => asRead(term, read));
    return {
      state: candidate.state,
      score: candidate.score,
      terms: termValues(terms),
      ...withNotes(terms),
    };
  });
}

function isItsOwn({ name }: Candidate['terms'][number]): boolean {
  return !COMPOSITES.some((composite) => name === `${composite}_norm`);
}

/** Terms of an unreadable composite count as 0; the trace shows null instead. */
function asRead(term: Candidate['terms'][number], read: MarketRead): Term {
  const composite = COMPOSITES.find((name) => term.name.startsWith(`${name}_`));
  const absence = composite === undefined ? null : absenceOf(read, composite);
  return absence === null ? term : { name: term.name, value: null, note: absence };
}

export interface StateDecisionTrace {
  readonly trace_version: string;
  readonly winner_state: StateName;
  readonly runner_up_state: StateName;
  readonly state_margin: number;
  readonly publication: {
    readonly published_state: StateName;
    readonly rule: PublicationRule;
    readonly winner_streak: number;
    /** Including this packet; 0 if it is the raw winner. */
    readonly lost_streak: number;
    readonly streak_required: number;
  };
  readonly candidate_states: readonly CandidateState[];
  readonly rejected_states: readonly RejectedState[];
  readonly threshold_crossings: ThresholdCrossings;
  readonly composites: CompositeTraces;
  /** Signed: positive is bid-heavy, buy-heavy or up. Null without a source. */
  readonly imbalances: {
    readonly top1: number | null;
    readonly top3: number | null;
    readonly top5: number | null;
    readonly trade: number | null;
    /** Over six windows; null if it cannot be measured. */
    readonly price_move_bps: number | null;
  };
  /** Largest mid move over six windows still counted as absorbed. */
  readonly absorption_bound_bps: number | null;
  readonly market_outcome_claim: 'none';
  readonly trade_instruction: 'none';
}

export function stateDecisionTrace(read: MarketRead, policy: Policy): StateDecisionTrace {
  const { numbers, literals, versions } = policy;
  return {
    trace_version: versions.trace_version,
    winner_state: read.decision.winner,
    runner_up_state: read.decision.runnerUp,
    state_margin: read.decision.margin,
    publication: {
      published_state: read.published.state,
      rule: read.published.rule,
      winner_streak: read.published.winnerStreak,
      lost_streak: read.published.lostStreak,
      streak_required: numbers.dwell.packets,
    },
    candidate_states: candidateStates(read),
    rejected_states: rejectedStates(read, numbers),
    threshold_crossings: thresholdCrossings(read),
    composites: compositeTraces(read),
    imbalances: { ...read.imbalances, trade: read.tradeImbalance, price_move_bps: read.priceMoveMeasured ? read.priceMoveBps : null },
    absorption_bound_bps: read.absorptionBoundBps,
    market_outcome_claim: literals.market_outcome_claim,
    trade_instruction: literals.trade_instruction,
  };
}
