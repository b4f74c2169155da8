import type { PolicyNumbers } from '../policy/numbers';
import type { MarketRead, StateName } from '../read';

/** What the published state remembers. */
export interface Dwell {
  readonly state: StateName;
  /** T of the packet that first published it. */
  readonly sinceMs: number;
  readonly agePackets: number;
  readonly winner: StateName;
  readonly winnerStreak: number;
}

/** States that are entered and left at once: without evidence nothing may linger. */
const AT_ONCE: ReadonlySet<StateName> = new Set(['insufficient_evidence', 'replay_context_ready']);

/**
 * The published state follows the raw winner after 2 consecutive packets, at once with a margin of at least 0.20, or at once into or out
 * of the first two states; the first packet publishes its raw winner. Age counts packets from 1, persistence seconds from 0, this packet's
 * state in both. Source: ours, a debounce with a way round for clear wins.
 */
export function publish(
  previous: Dwell | null,
  { winner, margin }: MarketRead['decision'],
  windowEndMs: number,
  numbers: PolicyNumbers,
): { readonly dwell: Dwell; readonly published: MarketRead['published'] } {
  const winnerStreak = previous !== null && previous.winner === winner ? previous.winnerStreak + 1 : 1;
  const follows = previous === null || mayFollow(previous.state, winner, margin, winnerStreak, numbers);
  const changed = previous !== null && follows && previous.state !== winner;
  const dwell: Dwell =
    previous === null || changed
      ? { state: winner, sinceMs: windowEndMs, agePackets: 1, winner, winnerStreak }
      : { ...previous, agePackets: previous.agePackets + 1, winner, winnerStreak };
  return {
    dwell,
    published: {
      state: dwell.state,
      changed,
      agePackets: dwell.agePackets,
      persistenceSeconds: (windowEndMs - dwell.sinceMs) / 1000,
      winnerStreak,
    },
  };
}

function mayFollow(state: StateName, winner: StateName, margin: number, streak: number, { dwell }: PolicyNumbers): boolean {
  return streak >= dwell.packets || margin >= dwell.margin || AT_ONCE.has(winner) || AT_ONCE.has(state);
}
