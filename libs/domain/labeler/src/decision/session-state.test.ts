import fc from 'fast-check';
import { POLICY_NUMBERS } from '../policy/numbers';
import { STATES, type SessionState, type StateName } from '../read';
import { sessionState, type SessionStateMemory } from './decide';

/** The session state after each packet of the states published. */
function follow(states: readonly StateName[]): readonly (SessionState | null)[] {
  let memory: SessionStateMemory | null = null;
  return states.map((_, i) => {
    const newest = states.slice(Math.max(0, i - 89), i + 1).map((state) => ({ state }));
    const read = sessionState(memory, newest, POLICY_NUMBERS);
    memory = read;
    return read;
  });
}

const many = (state: StateName, total: number): StateName[] => Array<StateName>(total).fill(state);

describe('session state', () => {
  test('is null in the first 29 packets, and then the most frequent state', () => {
    const read = follow([...many('depth_watch', 16), ...many('market_state_watch', 14)]);
    expect(read.slice(0, 29).every((one) => one === null)).toBe(true);
    expect(read[29]).toEqual({
      state: 'depth_watch',
      share: 0.533333,
      packetTotal: 30,
      agePackets: 1,
      runnerUp: 'market_state_watch',
      runnerUpShare: 0.466667,
    });
  });

  test('a tie goes to the higher row; without another state there is no runner-up', () => {
    expect(follow([...many('market_state_watch', 15), ...many('depth_watch', 15)]).at(-1)).toMatchObject({ state: 'depth_watch' });
    expect(follow(many('depth_watch', 31)).at(-1)).toEqual({
      state: 'depth_watch',
      share: 1,
      packetTotal: 31,
      agePackets: 2,
      runnerUp: null,
      runnerUpShare: null,
    });
  });

  test('a state that leads by 8 does not replace it, one that leads by 9 does', () => {
    const read = follow([...many('depth_watch', 30), ...many('flow_shift_watch', 39)]);
    expect(read[67]).toMatchObject({ state: 'depth_watch', share: 0.441176, agePackets: 39, runnerUp: 'flow_shift_watch' });
    expect(read[68]).toMatchObject({ state: 'flow_shift_watch', share: 0.565217, agePackets: 1, runnerUp: 'depth_watch' });
  });

  test('no more than 90 packets count', () => {
    expect(follow([...many('depth_watch', 50), ...many('market_state_watch', 60)]).at(-1)).toMatchObject({
      state: 'market_state_watch',
      packetTotal: 90,
      share: 0.666667,
    });
  });

  test('on any series it changes at most once in 5 packets, and never while no state leads it by 9', () => {
    const runs = fc.array(fc.tuple(fc.constantFrom(...STATES), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(runs, (series) => {
        const states = series.flatMap(([state, total]) => many(state, total));
        const read = follow(states);
        let changedAt = Number.NEGATIVE_INFINITY;
        for (let i = 30; i < read.length; i++) {
          const [before, now] = [read[i - 1], read[i]];
          if (before === null || before === undefined || now === null || now === undefined || before.state === now.state) continue;
          const newest = states.slice(Math.max(0, i - 89), i + 1);
          const total = (of: StateName) => newest.filter((state) => state === of).length;
          expect(total(now.state) - total(before.state)).toBeGreaterThanOrEqual(9);
          expect(i - changedAt).toBeGreaterThanOrEqual(5);
          changedAt = i;
        }
      }),
    );
  });
});
