import { stateTotals, type StateTotals } from '../lanes/lane-read';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { STATES, type SessionState, type StateName } from '../read';

export interface SessionStateMemory {
  readonly state: StateName;
  readonly agePackets: number;
}

/**
 * Session state: the most frequent published state of the last 90 packets, including this one (ties: the higher row);
 * null with fewer than 30. Once set, it is replaced only by the most frequent state with a lead of 9 packets. Shares 0
 * to 1, 6 decimals. Counts packets across cuts. Source: ours, a plurality with a margin.
 */
export function sessionState(
  before: SessionStateMemory | null,
  published: readonly { readonly state: StateName }[],
  { session_state: numbers }: PolicyNumbers,
): SessionState | null {
  if (published.length < numbers.minimum_packets) return null;
  const totals = stateTotals(published);
  const leader = mostFrequent(STATES, totals);
  const stays = before !== null && totals[leader] - totals[before.state] < numbers.lead_packets;
  const state = stays ? before.state : leader;
  const runnerUp = mostFrequent(
    STATES.filter((other) => other !== state),
    totals,
  );
  const share = (of: StateName) => round6(totals[of] / published.length);
  const rivalled = totals[runnerUp] > 0;
  return {
    state,
    share: share(state),
    packetTotal: published.length,
    agePackets: before !== null && before.state === state ? before.agePackets + 1 : 1,
    runnerUp: rivalled ? runnerUp : null,
    runnerUpShare: rivalled ? share(runnerUp) : null,
  };
}

function mostFrequent(states: readonly StateName[], totals: StateTotals): StateName {
  return states.reduce((best, state) => (totals[state] > totals[best] ? state : best));
}
