import fc from 'fast-check';
import { POLICY_NUMBERS } from '../policy/numbers';
import { COMPOSITES, STATES, type CompositeName, type Side, type StateName } from '../read';
import { scoreCandidates, type CandidateInput } from './candidates';
import { decide } from './decide';
import { publish, type Dwell } from './publish';

const NO_NORMS = Object.fromEntries(COMPOSITES.map((name) => [name, 0])) as Record<CompositeName, number>;

function input(fields: Omit<Partial<CandidateInput>, 'norms'> & { norms?: Partial<Record<CompositeName, number>> } = {}): CandidateInput {
  return {
    pressureSide: 1,
    flowSide: 1,
    flow: 0,
    earlierFlows: [],
    crowding: 0,
    crowdingWatch: 0.4,
    earlierCrowding: [],
    sourceSupportRatio: 0.6,
    bookSeen: true,
    bookStale: false,
    ...fields,
    norms: { ...NO_NORMS, ...fields.norms },
  };
}

function scoreOf(state: StateName, fields: Parameters<typeof input>[0]): number | undefined {
  return scoreCandidates(input(fields), POLICY_NUMBERS).find((candidate) => candidate.state === state)?.score;
}

describe('candidate scores', () => {
  test('insufficient_evidence: no book at all, or support under 0.4', () => {
    expect(scoreOf('insufficient_evidence', { bookSeen: false })).toBe(1);
    expect(scoreOf('insufficient_evidence', { sourceSupportRatio: 0.399999 })).toBe(1);
    expect(scoreOf('insufficient_evidence', { sourceSupportRatio: 0.4 })).toBe(0);
  });

  test('replay_context_ready: the book is past its staleness limit', () => {
    expect(scoreOf('replay_context_ready', { bookStale: true })).toBe(1);
    expect(scoreOf('replay_context_ready', {})).toBe(0);
  });

  test('pressure_building: 0.6 × 0.8 + 0.4 × 0.5 = 0.68 on one side, 0.6 × 0.8 × (1 − 0.25) = 0.36 on opposite ones', () => {
    const norms = { pressure: 0.8, flow: 0.5 };
    expect(scoreOf('pressure_building', { norms })).toBe(0.68);
    expect(scoreOf('pressure_building', { norms, flowSide: -1 })).toBe(0.36);
  });

  test('flow_shift_watch: (0.7 × 0.6 + 0.3 × |0.4 − 0.1|) × (1 − 0.5 × 0.2) = 0.51 × 0.9', () => {
    expect(scoreOf('flow_shift_watch', { norms: { flow: 0.6, pressure: 0.2 }, flow: 0.4, earlierFlows: [0, 0.2] })).toBe(0.459);
  });

  test('flow_shift_watch: without earlier packets there is no change; a change is at most 1', () => {
    expect(scoreOf('flow_shift_watch', { norms: { flow: 1 }, flow: 0.9 })).toBe(0.7);
    expect(scoreOf('flow_shift_watch', { norms: { flow: 1 }, flow: 0.9, earlierFlows: [-0.9] })).toBe(1);
  });

  test('fragile_depth_watch is the fragility norm', () => {
    expect(scoreOf('fragile_depth_watch', { norms: { fragility: 0.73 } })).toBe(0.73);
  });

  test('depth_watch: 0.95 × 0.8 × (1 − 0.25) = 0.57', () => {
    expect(scoreOf('depth_watch', { norms: { pressure: 0.8, flow: 0.25 } })).toBe(0.57);
  });

  test('crowding_shift: 0.6 × min(1, |0.5 − 0.45| / 0.10) = 0.3', () => {
    expect(scoreOf('crowding_shift', { norms: { crowding: 0.6 }, crowding: 0.5, earlierCrowding: [0.4, 0.5] })).toBe(0.3);
    expect(scoreOf('crowding_shift', { norms: { crowding: 0.6 }, crowding: 0.5 })).toBe(0);
  });

  test('crowding_persistent: 0.8 × the share of 60 packets at or above watch, 0 until there are 60', () => {
    const earlier = [...Array<number>(45).fill(0.4), ...Array<number>(15).fill(0.39)];
    expect(scoreOf('crowding_persistent', { norms: { crowding: 0.8 }, earlierCrowding: earlier })).toBe(0.6);
    expect(scoreOf('crowding_persistent', { norms: { crowding: 0.8 }, earlierCrowding: earlier.slice(1) })).toBe(0);
  });

  test('regime_transition_candidate: 0.9 × 0.7 = 0.63; market_state_watch: the floor', () => {
    expect(scoreOf('regime_transition_candidate', { norms: { regime: 0.7 } })).toBe(0.63);
    expect(scoreOf('market_state_watch', {})).toBe(0.35);
  });

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
});

describe('raw decision', () => {
  test('ties go to the higher row, for the winner and for the runner-up', () => {
    const candidates = STATES.map((state) => ({ state, score: state === 'market_state_watch' ? 0.35 : 0.5, terms: [] }));
    expect(decide(candidates)).toMatchObject({ winner: 'insufficient_evidence', runnerUp: 'replay_context_ready', margin: 0 });
  });

  test('margin is winner less runner-up, to 6 decimals', () => {
    const candidates = STATES.map((state, index) => ({ state, score: index === 2 ? 0.7 : index === 3 ? 0.4 : 0, terms: [] }));
    expect(decide(candidates)).toMatchObject({ winner: 'pressure_building', winnerScore: 0.7, runnerUp: 'flow_shift_watch', runnerUpScore: 0.4, margin: 0.3 });
  });
});

describe('published state', () => {
  const step = (previous: Dwell | null, winner: StateName, margin: number, windowEndMs: number) =>
    publish(previous, { winner, winnerScore: 0.5, runnerUp: 'market_state_watch', runnerUpScore: 0, margin, candidates: [] }, windowEndMs, POLICY_NUMBERS);

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
    expect(second.published).toMatchObject({ state: 'depth_watch', changed: false, agePackets: 2, persistenceSeconds: 10, winnerStreak: 1 });
    const third = step(second.dwell, 'flow_shift_watch', 0.01, 30_000);
    expect(third.published).toMatchObject({ state: 'flow_shift_watch', changed: true, agePackets: 1, persistenceSeconds: 0, winnerStreak: 2 });
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
