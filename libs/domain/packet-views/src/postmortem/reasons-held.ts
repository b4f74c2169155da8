import { round6 } from '@market-state/labeler';
import type { LoggedPacket } from '../logged-packet';
import type { Stages } from './stages';

/** What became of a reason in the later packets: in at least half of them, in fewer, in none, or there are none yet. */
export type ReasonOutcome = 'held' | 'faded' | 'ended' | 'not_known_yet';

function outcomeOf(standing: number, total: number): ReasonOutcome {
  if (total === 0) return 'not_known_yet';
  if (standing === 0) return 'ended';
  return standing / total >= 0.5 ? 'held' : 'faded';
}

/**
 * For each reason of the event's packet: the number of packets after the event's stage that have the same reason with the same stance,
 * and its sentence in the last of them.
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
