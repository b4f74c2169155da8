import { round6 } from '@market-state/labeler';
import type { LoggedPacket } from '../logged-packet';
import type { Stages } from './stages';

/** What came of a reason in the packets after: in half of them or more, in fewer, in none, or there are none yet. */
export type ReasonOutcome = 'held' | 'faded' | 'ended' | 'not_known_yet';

function outcomeOf(standing: number, total: number): ReasonOutcome {
  if (total === 0) return 'not_known_yet';
  if (standing === 0) return 'ended';
  return standing / total >= 0.5 ? 'held' : 'faded';
}

/**
 * For each reason of the event's packet: in how many packets after the event's stage the same reason stands with the same stance, and what
 * it says in the last of them.
 */
export function reasonsHeld({ after }: Stages, { packet }: LoggedPacket) {
  return packet.reason_details.map(({ reason_id, reason_family, stance, claim }) => {
    const standing = after.flatMap((later) =>
      later.packet.reason_details.filter((reason) => reason.reason_id === reason_id && reason.stance === stance),
    );
    return {
      reason_id,
      reason_family,
      stance,
      claim_at_event: claim,
      outcome: outcomeOf(standing.length, after.length),
      after_packet_total: standing.length,
      after_share: after.length === 0 ? null : round6(standing.length / after.length),
      last_claim_after: standing.at(-1)?.claim ?? null,
    };
  });
}
