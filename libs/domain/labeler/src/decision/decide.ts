import { round6 } from '../numbers/round';
import type { Candidate, MarketRead } from '../read';

/**
 * The raw decision: the highest score wins, ties go to the higher row; margin = winner − runner-up, 0..1, 6 decimals; of one packet.
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
