import type { Policy } from '../policy/policy';
import type { MarketRead, PublicationRule, StateName } from '../read';
import { candidateStates, type CandidateState } from './candidate-trace';
import { compositeTraces, type CompositeTraces } from './composite-trace';
import { rejectedStates, type RejectedState } from './rejections';
import { thresholdCrossings, type ThresholdCrossings } from './threshold-trace';

/** How the raw winner and the published state came about. */
export interface StateDecisionTrace {
  readonly trace_version: string;
  readonly winner_state: StateName;
  readonly runner_up_state: StateName;
  readonly state_margin: number;
  readonly publication: {
    readonly published_state: StateName;
    readonly rule: PublicationRule;
    /** Packets in a row that the raw winner has won, this one in. */
    readonly winner_streak: number;
    /** Packets in a row that the published state has lost, this one in; 0 where it is the raw winner. */
    readonly lost_streak: number;
    /** How many in a row it takes to change a published state that is still open. */
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
    /** Over six windows; null where it cannot be measured. */
    readonly price_move_bps: number | null;
  };
  /** Largest mid move over six windows that still counts as absorbed, basis points. */
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
