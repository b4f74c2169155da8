import fc from 'fast-check';
import { FROZEN_NUMBERS } from '../../tests/policy-texts';
import { SOURCE_STATES, STATES, type Candidate, type MarketRead, type PublicationRule, type StateName } from '../read';
import { publish, type Dwell } from './decide';

/** Winner of a packet, and the state published by the packet before where it is not open any more. */
interface Round {
  readonly winner: StateName;
  readonly closed?: readonly StateName[];
}

/** Publishes the rounds, one packet every ten seconds from 10 s on. The winner is open, as is everything that is not closed. */
function publishAll(rounds: readonly Round[]): readonly MarketRead['published'][] {
  let dwell: Dwell | null = null;
  return rounds.map(({ winner, closed = [] }, i) => {
    const candidates = STATES.map((state): Candidate => {
      const gated = !SOURCE_STATES.includes(state) && state !== 'market_state_watch';
      return { state, score: 0, terms: [], open: gated ? !closed.includes(state) : null };
    });
    const read = publish(dwell, { winner, candidates }, (i + 1) * 10_000, FROZEN_NUMBERS);
    dwell = read.dwell;
    return read.published;
  });
}

const DEPTH: Round = { winner: 'depth_watch' };
const FLOW: Round = { winner: 'flow_shift_watch' };
const FRAGILE: Round = { winner: 'fragile_depth_watch' };
const FLOOR: Round = { winner: 'market_state_watch' };

/** Result of a round: state, rule, age in packets, seconds held, winner's and lost streak. */
type Row = readonly [StateName, PublicationRule, number, number, number, number];

describe('each rule by which the published state changes, or stays', () => {
  test.each<[string, readonly Round[], readonly Row[]]>([
    ['the first packet publishes its winner', [FRAGILE], [['fragile_depth_watch', 'first_packet', 1, 0, 1, 0]]],
    [
      'one winner three times in a row',
      [DEPTH, FLOW, FLOW, FLOW, FLOW],
      [
        ['depth_watch', 'first_packet', 1, 0, 1, 0],
        ['depth_watch', 'held_by_dwell', 2, 10, 1, 1],
        ['depth_watch', 'held_by_dwell', 3, 20, 2, 2],
        ['flow_shift_watch', 'changed_to_winner', 1, 0, 3, 0],
        ['flow_shift_watch', 'winner_is_published', 2, 10, 4, 0],
      ],
    ],
    [
      'a win between restarts both counts',
      [DEPTH, FLOW, FLOW, DEPTH, FLOW],
      [
        ['depth_watch', 'first_packet', 1, 0, 1, 0],
        ['depth_watch', 'held_by_dwell', 2, 10, 1, 1],
        ['depth_watch', 'held_by_dwell', 3, 20, 2, 2],
        ['depth_watch', 'winner_is_published', 4, 30, 1, 0],
        ['depth_watch', 'held_by_dwell', 5, 40, 1, 1],
      ],
    ],
    [
      'winners that take turns leave a state that is open where it is, however long it loses',
      [DEPTH, FLOW, FRAGILE, FLOW, FRAGILE],
      [
        ['depth_watch', 'first_packet', 1, 0, 1, 0],
        ['depth_watch', 'held_by_dwell', 2, 10, 1, 1],
        ['depth_watch', 'held_by_dwell', 3, 20, 1, 2],
        ['depth_watch', 'held_by_dwell', 4, 30, 1, 3],
        ['depth_watch', 'held_by_dwell', 5, 40, 1, 4],
      ],
    ],
    [
      'the floor yields to the third of them, whichever it is',
      [FLOOR, FLOW, FRAGILE, FLOW, FLOW],
      [
        ['market_state_watch', 'first_packet', 1, 0, 1, 0],
        ['market_state_watch', 'held_by_dwell', 2, 10, 1, 1],
        ['market_state_watch', 'held_by_dwell', 3, 20, 1, 2],
        ['flow_shift_watch', 'changed_to_winner', 1, 0, 1, 0],
        ['flow_shift_watch', 'winner_is_published', 2, 10, 2, 0],
      ],
    ],
    [
      'what is not open any more gives way at once',
      [DEPTH, { winner: 'market_state_watch', closed: ['depth_watch'] }, FLOW],
      [
        ['depth_watch', 'first_packet', 1, 0, 1, 0],
        ['market_state_watch', 'changed_on_release', 1, 0, 1, 0],
        ['market_state_watch', 'held_by_dwell', 2, 10, 1, 1],
      ],
    ],
    [
      'a release in the third packet of a streak is a release',
      [DEPTH, FLOW, FLOW, { winner: 'flow_shift_watch', closed: ['depth_watch'] }],
      [
        ['depth_watch', 'first_packet', 1, 0, 1, 0],
        ['depth_watch', 'held_by_dwell', 2, 10, 1, 1],
        ['depth_watch', 'held_by_dwell', 3, 20, 2, 2],
        ['flow_shift_watch', 'changed_on_release', 1, 0, 3, 0],
      ],
    ],
    [
      'into insufficient evidence and out of it at once, before a release is asked for',
      [DEPTH, { winner: 'insufficient_evidence', closed: ['depth_watch'] }, FLOW],
      [
        ['depth_watch', 'first_packet', 1, 0, 1, 0],
        ['insufficient_evidence', 'changed_to_winner', 1, 0, 1, 0],
        ['flow_shift_watch', 'changed_to_winner', 1, 0, 1, 0],
      ],
    ],
    [
      'from one of the first two to the other at once',
      [{ winner: 'replay_context_ready' }, { winner: 'replay_context_ready' }, { winner: 'insufficient_evidence' }],
      [
        ['replay_context_ready', 'first_packet', 1, 0, 1, 0],
        ['replay_context_ready', 'winner_is_published', 2, 10, 2, 0],
        ['insufficient_evidence', 'changed_to_winner', 1, 0, 1, 0],
      ],
    ],
  ])('%s', (_name, rounds, rows) => {
    const read = publishAll(rounds).map((one) => [
      one.state,
      one.rule,
      one.agePackets,
      one.persistenceSeconds,
      one.winnerStreak,
      one.lostStreak,
    ]);
    expect(read).toEqual(rows);
  });
});

describe('on any series of winners and of states that are open', () => {
  const gated = STATES.filter((state) => !SOURCE_STATES.includes(state) && state !== 'market_state_watch');
  const round = fc
    .record({ winner: fc.constantFrom(...STATES), closed: fc.subarray(gated) })
    .map(({ winner, closed }): Round => ({ winner, closed: closed.filter((state) => state !== winner) }));
  const series = fc.array(round, { minLength: 1, maxLength: 40 });

  test('a change needs three packets, a release, or one of the first two states', () => {
    fc.assert(
      fc.property(series, (rounds) => {
        const read = publishAll(rounds);
        for (let i = 1; i < read.length; i++) {
          const [before, now] = [read[i - 1]?.state, read[i]?.state];
          if (before === undefined || now === undefined || before === now) continue;
          const winners = rounds.slice(Math.max(0, i - 2), i + 1).map(({ winner }) => winner);
          const lost = winners.length === 3 && winners.every((winner) => winner !== before);
          const beaten = lost && (before === 'market_state_watch' || new Set(winners).size === 1);
          const released = rounds[i]?.closed?.includes(before) ?? false;
          expect(beaten || released || SOURCE_STATES.includes(before) || SOURCE_STATES.includes(now)).toBe(true);
        }
      }),
    );
  });

  test('what is published is open, the floor, or one of the first two', () => {
    fc.assert(
      fc.property(series, (rounds) => {
        publishAll(rounds).forEach(({ state }, i) => expect(rounds[i]?.closed ?? []).not.toContain(state));
      }),
    );
  });

  test('with one raw winner all along the published state is it by the third packet', () => {
    fc.assert(
      fc.property(series, fc.constantFrom(...STATES), (rounds, winner) => {
        const read = publishAll([...rounds, { winner }, { winner }, { winner }]);
        expect(read.at(-1)?.state).toBe(winner);
      }),
    );
  });

  test('the lost streak is 0 exactly where the raw winner is published, and else one more than before or 1', () => {
    fc.assert(
      fc.property(series, (rounds) => {
        publishAll(rounds).forEach((read, i, all) => {
          const before = all[i - 1];
          const lost = read.state !== rounds[i]?.winner;
          expect(read.lostStreak).toBe(lost ? (before?.state === read.state ? before.lostStreak : 0) + 1 : 0);
        });
      }),
    );
  });
});
