import type { Packet } from '@market-state/labeler';
import type { Definitions } from '../definitions/definitions';

function publicationSentence(packet: Packet, { label }: Definitions): string {
  const { rule, winner_streak, lost_streak, streak_required } = packet.state_decision_trace.publication;
  const state = label('states', packet.state);
  switch (rule) {
    case 'first_packet':
      return `${state} is published: it won the first packet.`;
    case 'winner_is_published':
      return `${state} is published already and continues.`;
    case 'changed_to_winner':
      return `${state} is published from this packet on.`;
    case 'changed_on_release':
      return `${state} is published from this packet on: what opened the state before is no longer held.`;
    case 'held_by_dwell':
      return packet.state === 'market_state_watch'
        ? `${state} stays published: it has lost ${lost_streak} in a row, and gives way at ${streak_required}.`
        : `${state} stays published: the winner has won ${winner_streak} in a row, and needs ${streak_required}.`;
  }
}

/** The decision on the state, and how the published state follows from it. */
export function decisionView(packet: Packet, definitions: Definitions) {
  const { winner_state, runner_up_state, state_margin, publication, trade_instruction, market_outcome_claim } = packet.state_decision_trace;
  const { winner_score, runner_up_score, diagnosis_class } = packet.state_diagnosis;
  const [winner, runnerUp] = [definitions.label('states', winner_state), definitions.label('states', runner_up_state)];
  return {
    winner_state,
    winner_score,
    runner_up_state,
    runner_up_score,
    state_margin,
    published_state: packet.state,
    publication_rule: publication.rule,
    winner_streak: publication.winner_streak,
    diagnosis_class,
    sentence:
      `${winner} scores ${winner_score}, ${state_margin} ahead of ${runnerUp} at ${runner_up_score}. ` +
      `${publicationSentence(packet, definitions)}`,
    trade_instruction,
    market_outcome_claim,
  };
}
