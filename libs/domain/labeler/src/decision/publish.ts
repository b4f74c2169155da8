import type { PolicyNumbers } from '../policy/numbers';
import { SOURCE_STATES, type MarketRead, type PublicationRule, type StateName } from '../read';

/** What the published state remembers. */
export interface Dwell {
  readonly state: StateName;
  /** T of the packet that first published it. */
  readonly sinceMs: number;
  readonly agePackets: number;
  readonly winner: StateName;
  /** Packets in a row that `winner` has won. */
  readonly winnerStreak: number;
  /** Packets in a row that `state` has lost. */
  readonly lostStreak: number;
}

/**
 * The published state against this packet's raw winner. It gives way at once into and out of the first two states, and when it is not open
 * any more; the floor gives way when it has lost 3 packets in a row, any other state when one winner has beaten it 3 in a row. Age counts
 * packets from 1, persistence seconds from 0, this packet's state in both. Source: ours, a debounce that lets go of what has no evidence.
 */
export function publish(
  previous: Dwell | null,
  { winner, candidates }: Pick<MarketRead['decision'], 'winner' | 'candidates'>,
  windowEndMs: number,
  numbers: PolicyNumbers,
): { readonly dwell: Dwell; readonly published: MarketRead['published'] } {
  const winnerStreak = previous !== null && previous.winner === winner ? previous.winnerStreak + 1 : 1;
  const lost = previous === null || previous.state === winner ? 0 : previous.lostStreak + 1;
  const open = candidates.find((candidate) => candidate.state === previous?.state)?.open ?? null;
  const rule = publicationRule(previous, winner, { winnerStreak, lost, open }, numbers);
  const changed = rule === 'changed_to_winner' || rule === 'changed_on_release';
  const dwell: Dwell =
    previous === null || changed
      ? { state: winner, sinceMs: windowEndMs, agePackets: 1, winner, winnerStreak, lostStreak: 0 }
      : { ...previous, agePackets: previous.agePackets + 1, winner, winnerStreak, lostStreak: lost };
  return {
    dwell,
    published: {
      state: dwell.state,
      rule,
      changed,
      agePackets: dwell.agePackets,
      persistenceSeconds: (windowEndMs - dwell.sinceMs) / 1000,
      winnerStreak,
      lostStreak: dwell.lostStreak,
    },
  };
}

/** What the rules read of the state published so far: packets it has lost in a row, and whether it is open (null: it is never). */
interface Contest {
  readonly winnerStreak: number;
  readonly lost: number;
  readonly open: boolean | null;
}

function publicationRule(
  previous: Dwell | null,
  winner: StateName,
  { winnerStreak, lost, open }: Contest,
  { dwell }: PolicyNumbers,
): PublicationRule {
  if (previous === null) return 'first_packet';
  if (previous.state === winner) return 'winner_is_published';
  if (SOURCE_STATES.includes(winner) || SOURCE_STATES.includes(previous.state)) return 'changed_to_winner';
  if (open === false) return 'changed_on_release';
  const beaten = previous.state === 'market_state_watch' ? lost : winnerStreak;
  return beaten >= dwell.packets ? 'changed_to_winner' : 'held_by_dwell';
}
