import { type Packet, round6 } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';

type Candidate = Packet['state_decision_trace']['candidate_states'][number];

export type CandidateOutcome = 'winner' | 'runner_up' | 'rejected';

function sentenceOf(label: string, candidate: Candidate, shortfall: number, reason: string | null, { meaning }: Definitions): string {
  if (reason === null) return `${label} scores ${candidate.score} and wins.`;
  const behind = shortfall === 0 ? 'as much as the winner' : `${shortfall} behind the winner`;
  return `${label} scores ${candidate.score}, ${behind}. ${meaning('rejection_reasons', reason)}`.trim();
}

/** All ten candidates by rank, the winner first: their scores and terms, and why the others lost. */
export function candidateViews(packet: Packet, definitions: Definitions) {
  const { candidate_states, rejected_states, winner_state, runner_up_state } = packet.state_decision_trace;
  const { winner_score } = packet.state_diagnosis;
  const outcomeOf = (state: string): CandidateOutcome =>
    state === winner_state ? 'winner' : state === runner_up_state ? 'runner_up' : 'rejected';
  return candidate_states
    .toSorted((a, b) => b.score - a.score)
    .map((candidate, index) => {
      const rejected = rejected_states.find(({ state }) => state === candidate.state);
      const label = definitions.label('states', candidate.state);
      const shortfall = round6(winner_score - candidate.score);
      const reason = rejected?.reason ?? null;
      return {
        state: candidate.state,
        label,
        rank: index + 1,
        score: candidate.score,
        shortfall,
        outcome: outcomeOf(candidate.state),
        rejection_reason: reason,
        sentence: sentenceOf(label, candidate, shortfall, reason, definitions),
        terms: candidate.terms,
        term_notes: candidate.term_notes ?? {},
      };
    });
}
