import type { PolicyNumbers } from '../policy/numbers';
import { SOURCE_STATES, type Candidate, type MarketRead, type StateName } from '../read';
import { absenceOf } from './composite-facts';

export type RejectionReason =
  | 'outscored'
  | 'tie_lost_to_higher_row'
  | 'score_zero'
  | 'source_missing'
  | 'not_measurable'
  | 'not_triggered'
  | 'overridden_by_source_state'
  | 'not_open';

export interface RejectedState {
  readonly state: StateName;
  readonly reason: RejectionReason;
}

/** Every candidate but the winner, in table order, with what kept it from winning. */
export function rejectedStates(read: MarketRead, numbers: PolicyNumbers): readonly RejectedState[] {
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

/** Why nothing that the state reads is there; null when something is, or when it reads no composite. */
function absenceOfAll(state: StateName, read: MarketRead, numbers: PolicyNumbers): 'source_missing' | 'not_available' | null {
  const absences = numbers.state_composites[state].map((name) => absenceOf(read, name));
  if (absences.length === 0 || absences.includes(null)) return null;
  return absences.includes('source_missing') ? 'source_missing' : 'not_available';
}
