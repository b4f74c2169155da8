import type { PolicyNumbers } from '../policy/numbers';
import { SOURCE_STATES, type MarketRead, type PublicationRule, type StateName } from '../read';

export interface Dwell {
  readonly state: StateName;
  readonly sinceMs: number;
  readonly agePackets: number;
  readonly winner: StateName;
  readonly winnerStreak: number;
  readonly lostStreak: number;
}

/**
 * Published state, given this packet's raw winner. It changes immediately into and out of the first two states, and
 * when it is no longer open. The floor changes after losing `dwell.packets` in a row, any other state after one winner has
 * beaten it as often in a row. Age counts packets from 1, persistence seconds from 0, both including this packet.
 * Source: ours, a debounce that drops states without evidence.
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
