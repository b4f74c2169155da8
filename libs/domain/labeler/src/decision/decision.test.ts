import fc from 'fast-check';
import { POLICY_NUMBERS } from '../policy/numbers';
import { STATES, type Side, type StateName } from '../read';
import { scoreCandidates } from './candidates';
import { decide } from './decide';
import { publish, type Dwell } from './publish';

test('every score lies in 0..1 and the ten come in table order', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const signed = fc.double({ min: -1, max: 1, noNaN: true });
  const side = fc.constantFrom<Side>(-1, 0, 1);
  const norms = fc.record({ pressure: unit, flow: unit, fragility: unit, crowding: unit, forced_flow: unit, regime: unit });
  const arbitrary = fc.record({
    norms,
    pressureSide: side,
    flowSide: side,
    flow: signed,
    earlierFlows: fc.array(signed, { maxLength: 30 }),
    crowding: unit,
    crowdingWatch: unit,
    earlierCrowding: fc.array(unit, { maxLength: 60 }),
    sourceSupportRatio: unit,
    bookSeen: fc.boolean(),
    bookStale: fc.boolean(),
  });
  fc.assert(
    fc.property(arbitrary, (fields) => {
      const candidates = scoreCandidates(fields, POLICY_NUMBERS);
      expect(candidates.map((candidate) => candidate.state)).toEqual(STATES);
      for (const { score } of candidates) expect(score >= 0 && score <= 1).toBe(true);
      const decision = decide(candidates);
      expect(decision.winnerScore).toBe(Math.max(...candidates.map((candidate) => candidate.score)));
      expect(decision.margin).toBeCloseTo(decision.winnerScore - decision.runnerUpScore, 6);
    }),
    { numRuns: 1000 },
  );
});

describe('published state', () => {
  const step = (previous: Dwell | null, winner: StateName, margin: number, windowEndMs: number) =>
    publish(
      previous,
      { winner, winnerScore: 0.5, runnerUp: 'market_state_watch', runnerUpScore: 0, margin, candidates: [] },
      windowEndMs,
      POLICY_NUMBERS,
    );

  test('the first packet publishes its raw winner', () => {
    expect(step(null, 'depth_watch', 0, 10_000).published).toEqual({
      state: 'depth_watch',
      changed: false,
      agePackets: 1,
      persistenceSeconds: 0,
      winnerStreak: 1,
    });
  });

  test('it follows after two packets in a row', () => {
    const first = step(null, 'depth_watch', 0, 10_000);
    const second = step(first.dwell, 'flow_shift_watch', 0.19, 20_000);
    expect(second.published).toMatchObject({
      state: 'depth_watch',
      changed: false,
      agePackets: 2,
      persistenceSeconds: 10,
      winnerStreak: 1,
    });
    const third = step(second.dwell, 'flow_shift_watch', 0.01, 30_000);
    expect(third.published).toMatchObject({
      state: 'flow_shift_watch',
      changed: true,
      agePackets: 1,
      persistenceSeconds: 0,
      winnerStreak: 2,
    });
  });

  test('two packets that are not consecutive do not move it', () => {
    let { dwell } = step(null, 'depth_watch', 0, 10_000);
    ({ dwell } = step(dwell, 'flow_shift_watch', 0.1, 20_000));
    ({ dwell } = step(dwell, 'fragile_depth_watch', 0.1, 30_000));
    expect(step(dwell, 'flow_shift_watch', 0.1, 40_000).published.state).toBe('depth_watch');
  });

  test('a margin of 0.20 moves it at once', () => {
    const { dwell } = step(null, 'depth_watch', 0, 10_000);
    expect(step(dwell, 'flow_shift_watch', 0.2, 20_000).published).toMatchObject({ state: 'flow_shift_watch', changed: true });
  });

  test('lost evidence is published at once, and left at once', () => {
    const { dwell } = step(null, 'depth_watch', 0, 10_000);
    const lost = step(dwell, 'replay_context_ready', 0, 20_000);
    expect(lost.published.state).toBe('replay_context_ready');
    expect(step(lost.dwell, 'depth_watch', 0.01, 30_000).published.state).toBe('depth_watch');
  });
});
