import { POLICY_NUMBERS } from '../policy/numbers';
import type { StateName } from '../read';
import { publish, type Dwell } from './publish';

/** Winner and margin of a packet, and what is published then: state, age in packets, seconds held. */
type Step = readonly [winner: StateName, margin: number, state: StateName, age: number, seconds: number];

/** What publish makes of the winners, a packet every ten seconds from 10 s on. */
function published(steps: readonly Step[]): readonly Step[] {
  let dwell: Dwell | null = null;
  return steps.map(([winner, margin], i) => {
    const decision = { winner, winnerScore: 0.5, runnerUp: 'market_state_watch', runnerUpScore: 0, margin, candidates: [] } as const;
    const read = publish(dwell, decision, (i + 1) * 10_000, POLICY_NUMBERS);
    dwell = read.dwell;
    return [winner, margin, read.published.state, read.published.agePackets, read.published.persistenceSeconds];
  });
}

describe('each way in which the published state changes, or stays', () => {
  test.each<[string, readonly Step[]]>([
    ['the first packet publishes its winner whatever the margin', [['fragile_depth_watch', 0, 'fragile_depth_watch', 1, 0]]],
    [
      'two wins in a row',
      [
        ['depth_watch', 0.1, 'depth_watch', 1, 0],
        ['flow_shift_watch', 0.199999, 'depth_watch', 2, 10],
        ['flow_shift_watch', 0, 'flow_shift_watch', 1, 0],
        ['flow_shift_watch', 0, 'flow_shift_watch', 2, 10],
      ],
    ],
    [
      'a margin of 0.20 at once, of a little less not',
      [
        ['depth_watch', 0.1, 'depth_watch', 1, 0],
        ['flow_shift_watch', 0.199999, 'depth_watch', 2, 10],
        ['fragile_depth_watch', 0.2, 'fragile_depth_watch', 1, 0],
      ],
    ],
    [
      'a win between starts the count anew',
      [
        ['depth_watch', 0.1, 'depth_watch', 1, 0],
        ['flow_shift_watch', 0.1, 'depth_watch', 2, 10],
        ['depth_watch', 0.1, 'depth_watch', 3, 20],
        ['flow_shift_watch', 0.1, 'depth_watch', 4, 30],
        ['flow_shift_watch', 0.1, 'flow_shift_watch', 1, 0],
      ],
    ],
    [
      'three that take turns leave the old one standing',
      [
        ['depth_watch', 0.1, 'depth_watch', 1, 0],
        ['flow_shift_watch', 0.1, 'depth_watch', 2, 10],
        ['fragile_depth_watch', 0.1, 'depth_watch', 3, 20],
        ['flow_shift_watch', 0.1, 'depth_watch', 4, 30],
      ],
    ],
    [
      'into insufficient evidence and out of it at once',
      [
        ['depth_watch', 0.1, 'depth_watch', 1, 0],
        ['insufficient_evidence', 0, 'insufficient_evidence', 1, 0],
        ['depth_watch', 0, 'depth_watch', 1, 0],
      ],
    ],
    [
      'into retained context and out of it at once, to another state than before',
      [
        ['depth_watch', 0.1, 'depth_watch', 1, 0],
        ['replay_context_ready', 0, 'replay_context_ready', 1, 0],
        ['replay_context_ready', 0, 'replay_context_ready', 2, 10],
        ['crowding_shift', 0.01, 'crowding_shift', 1, 0],
      ],
    ],
    [
      'from one of the first two to the other at once',
      [
        ['replay_context_ready', 0, 'replay_context_ready', 1, 0],
        ['insufficient_evidence', 0, 'insufficient_evidence', 1, 0],
        ['replay_context_ready', 0, 'replay_context_ready', 1, 0],
      ],
    ],
    [
      'the published state that wins again goes on, whatever its margin',
      [
        ['depth_watch', 0.1, 'depth_watch', 1, 0],
        ['depth_watch', 0.9, 'depth_watch', 2, 10],
        ['depth_watch', 0, 'depth_watch', 3, 20],
      ],
    ],
  ])('%s', (_name, steps) => {
    expect(published(steps)).toEqual(steps);
  });
});
