import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { MarketRead, StateName, ThresholdRead } from '../read';

/** States that say what the sources lack, not what the market does: when one wins, nothing current is read. */
export const SOURCE_STATES: readonly StateName[] = ['insufficient_evidence', 'replay_context_ready'];

export type PublicationRule = 'first_packet' | 'winner_is_published' | 'changed_to_winner' | 'held_by_dwell';

/** Why the published state is what it is, against this packet's raw winner. */
export function publicationRule(read: MarketRead): PublicationRule {
  if (read.trail.previousState === null) return 'first_packet';
  if (read.published.state !== read.decision.winner) return 'held_by_dwell';
  return read.published.changed ? 'changed_to_winner' : 'winner_is_published';
}

/** The threshold closest to its value among composites that have a source; the earlier one on a tie. Null without any. */
export function nearestThreshold(read: MarketRead): ThresholdRead | null {
  let nearest: ThresholdRead | null = null;
  for (const threshold of read.thresholds) {
    if (!read.composites[threshold.composite].available) continue;
    if (nearest === null || Math.abs(threshold.distance) < Math.abs(nearest.distance)) nearest = threshold;
  }
  return nearest;
}

/** Largest mid move over six windows that the event class still calls absorbed, basis points; null without a book. */
export function absorptionBoundBps(read: MarketRead, numbers: PolicyNumbers): number | null {
  const spreadBps = read.features.spread_bps;
  if (spreadBps === null) return null;
  return round6(Math.max(numbers.event_class.absorption_move_bps, numbers.event_class.absorption_move_spreads * spreadBps));
}
