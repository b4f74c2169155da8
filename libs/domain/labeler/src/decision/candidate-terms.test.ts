import { POLICY_NUMBERS } from '../policy/numbers';
import { COMPOSITES, STATES, type Candidate, type CompositeName, type StateName, type Term } from '../read';
import { scoreCandidates, type CandidateInput } from './candidates';
import { decide } from './decide';

const NO_NORMS = Object.fromEntries(COMPOSITES.map((name) => [name, 0])) as Record<CompositeName, number>;
const QUIET: CandidateInput = {
  norms: NO_NORMS,
  pressureSide: 0,
  flowSide: 0,
  flow: 0,
  earlierFlows: [],
  crowding: 0,
  crowdingWatch: 0.4,
  earlierCrowding: [],
  sourceSupportRatio: 0.6,
  bookSeen: true,
  bookStale: false,
};

function candidate(
  state: StateName,
  fields: Omit<Partial<CandidateInput>, 'norms'>,
  norms: Partial<Record<CompositeName, number>> = {},
): Candidate | undefined {
  return scoreCandidates({ ...QUIET, ...fields, norms: { ...NO_NORMS, ...norms } }, POLICY_NUMBERS).find((read) => read.state === state);
}

const terms = (values: Readonly<Record<string, number | null>>): readonly Term[] =>
  Object.entries(values).map(([name, value]) => (value === null ? { name, value, note: 'not_available' } : { name, value }));

describe('each candidate: its score and the terms that made it', () => {
  test.each<
    [
      string,
      StateName,
      Omit<Partial<CandidateInput>, 'norms'>,
      Partial<Record<CompositeName, number>>,
      number,
      Record<string, number | null>,
    ]
  >([
    [
      'no book at all',
      'insufficient_evidence',
      { bookSeen: false, sourceSupportRatio: 0.8 },
      {},
      1,
      { book_seen: 0, source_support_ratio: 0.8 },
    ],
    [
      'support under 0.4',
      'insufficient_evidence',
      { sourceSupportRatio: 0.399999 },
      {},
      1,
      { book_seen: 1, source_support_ratio: 0.399999 },
    ],
    ['support of 0.4', 'insufficient_evidence', { sourceSupportRatio: 0.4 }, {}, 0, { book_seen: 1, source_support_ratio: 0.4 }],
    ['a stale book', 'replay_context_ready', { bookStale: true }, {}, 1, { book_stale: 1 }],
    ['a fresh book', 'replay_context_ready', {}, {}, 0, { book_stale: 0 }],
    // 0.6 × 0.7 + 0.4 × 0.3 = 0.42 + 0.12
    [
      'one side',
      'pressure_building',
      { pressureSide: 1, flowSide: 1 },
      { pressure: 0.7, flow: 0.3 },
      0.54,
      { pressure_norm: 0.7, flow_norm: 0.3, sides_agree: 1 },
    ],
    [
      'the other side',
      'pressure_building',
      { pressureSide: -1, flowSide: -1 },
      { pressure: 0.7, flow: 0.3 },
      0.54,
      { pressure_norm: 0.7, flow_norm: 0.3, sides_agree: 1 },
    ],
    // 0.6 × 0.7 × (1 − 0.5 × 0.3) = 0.42 × 0.85
    [
      'opposite sides',
      'pressure_building',
      { pressureSide: 1, flowSide: -1 },
      { pressure: 0.7, flow: 0.3 },
      0.357,
      { pressure_norm: 0.7, flow_norm: 0.3, sides_agree: 0 },
    ],
    [
      'flow without a side is no agreement',
      'pressure_building',
      { pressureSide: 1, flowSide: 0 },
      { pressure: 0.7 },
      0.42,
      { pressure_norm: 0.7, flow_norm: 0, sides_agree: 0 },
    ],
    ['no side at all is one', 'pressure_building', {}, {}, 0, { pressure_norm: 0, flow_norm: 0, sides_agree: 1 }],
    [
      'everything full',
      'pressure_building',
      { pressureSide: 1, flowSide: 1 },
      { pressure: 1, flow: 1 },
      1,
      { pressure_norm: 1, flow_norm: 1, sides_agree: 1 },
    ],
    // mean (0.2 − 0.1 + 0.2) / 3 = 0.1; change 0.4; (0.7 × 0.5 + 0.3 × 0.4) × (1 − 0.5 × 0.4) = 0.47 × 0.8
    [
      'a change against the mean',
      'flow_shift_watch',
      { flow: 0.5, earlierFlows: [0.2, -0.1, 0.2] },
      { flow: 0.5, pressure: 0.4 },
      0.376,
      { pressure_norm: 0.4, flow_norm: 0.5, flow_mean: 0.1, flow_change: 0.4 },
    ],
    // no packet before: the mean is f itself; 0.7 × 0.5
    [
      'nothing before',
      'flow_shift_watch',
      { flow: -0.5 },
      { flow: 0.5 },
      0.35,
      { pressure_norm: 0, flow_norm: 0.5, flow_mean: -0.5, flow_change: 0 },
    ],
    // |−0.8 − 0.8| = 1.6, at most 1: 0.7 × 0.9 + 0.3
    [
      'a change of more than 1',
      'flow_shift_watch',
      { flow: -0.8, earlierFlows: [0.8] },
      { flow: 0.9 },
      0.93,
      { pressure_norm: 0, flow_norm: 0.9, flow_mean: 0.8, flow_change: 1 },
    ],
    ['the fragility norm', 'fragile_depth_watch', {}, { fragility: 0.61 }, 0.61, { fragility_norm: 0.61 }],
    // 0.95 × 0.6 × (1 − 0.5)
    ['depth with half the flow', 'depth_watch', {}, { pressure: 0.6, flow: 0.5 }, 0.285, { pressure_norm: 0.6, flow_norm: 0.5 }],
    ['depth with full flow', 'depth_watch', {}, { pressure: 1, flow: 1 }, 0, { pressure_norm: 1, flow_norm: 1 }],
    ['depth alone', 'depth_watch', {}, { pressure: 1 }, 0.95, { pressure_norm: 1, flow_norm: 0 }],
    // mean (0.3 + 0.4) / 2 = 0.35; |0.42 − 0.35| / 0.10 = 0.7; 0.8 × 0.7
    [
      'crowding moved',
      'crowding_shift',
      { crowding: 0.42, earlierCrowding: [0.3, 0.4] },
      { crowding: 0.8 },
      0.56,
      { crowding_norm: 0.8, crowding_mean: 0.35, crowding_change: 0.7 },
    ],
    // |0.2 − 0.4| / 0.10 = 2, at most 1
    [
      'crowding moved far',
      'crowding_shift',
      { crowding: 0.2, earlierCrowding: [0.4] },
      { crowding: 0.25 },
      0.25,
      { crowding_norm: 0.25, crowding_mean: 0.4, crowding_change: 1 },
    ],
    [
      'crowding with nothing before',
      'crowding_shift',
      { crowding: 0.5 },
      { crowding: 0.6 },
      0,
      { crowding_norm: 0.6, crowding_mean: 0.5, crowding_change: 0 },
    ],
    [
      '59 packets before: no share yet',
      'crowding_persistent',
      { earlierCrowding: Array<number>(59).fill(0.9) },
      { crowding: 0.8 },
      0,
      { crowding_norm: 0.8, crowded_share: null },
    ],
    // 20 of 60 at exactly watch, 40 under: 0.8 × 0.333333 = 0.2666664
    [
      '60 packets before, 20 at watch',
      'crowding_persistent',
      { earlierCrowding: [...Array<number>(20).fill(0.4), ...Array<number>(40).fill(0.399999)] },
      { crowding: 0.8 },
      0.266666,
      { crowding_norm: 0.8, crowded_share: 0.333333 },
    ],
    // the calibrated watch threshold counts, not the policy's
    [
      'another watch threshold',
      'crowding_persistent',
      { crowdingWatch: 0.5, earlierCrowding: Array<number>(60).fill(0.45) },
      { crowding: 0.8 },
      0,
      { crowding_norm: 0.8, crowded_share: 0 },
    ],
    // 0.9 × 0.55
    ['0.9 of the regime norm', 'regime_transition_candidate', {}, { regime: 0.55 }, 0.495, { regime_norm: 0.55 }],
    ['the floor', 'market_state_watch', { bookSeen: false }, { pressure: 1 }, 0.35, { floor: 0.35 }],
  ])('%s: %s', (_name, state, fields, norms, score, expected) => {
    expect(candidate(state, fields, norms)).toEqual({ state, score, terms: terms(expected) });
  });
});

describe('the raw decision', () => {
  const scored = (scores: Partial<Record<StateName, number>>) =>
    decide(STATES.map((state) => ({ state, score: scores[state] ?? 0, terms: [] })));

  test.each<[Partial<Record<StateName, number>>, StateName, StateName, number]>([
    [{ depth_watch: 0.6, market_state_watch: 0.35 }, 'depth_watch', 'market_state_watch', 0.25],
    // a tie for the first place: the higher row wins, the other is runner-up, margin 0
    [{ flow_shift_watch: 0.6, depth_watch: 0.6, market_state_watch: 0.35 }, 'flow_shift_watch', 'depth_watch', 0],
    // a tie for the second place
    [{ pressure_building: 0.9, crowding_shift: 0.4, crowding_persistent: 0.4 }, 'pressure_building', 'crowding_shift', 0.5],
    // the floor loses a tie against every candidate: it is the lowest row
    [{ regime_transition_candidate: 0.35, market_state_watch: 0.35 }, 'regime_transition_candidate', 'market_state_watch', 0],
    // the first two beat every other when 1, the first before the second
    [{ insufficient_evidence: 1, replay_context_ready: 1, pressure_building: 1 }, 'insufficient_evidence', 'replay_context_ready', 0],
    [{ replay_context_ready: 1, pressure_building: 1, fragile_depth_watch: 1 }, 'replay_context_ready', 'pressure_building', 0],
    // 0.7 − 0.4 is 0.29999999999999993 as a double: the margin is rounded
    [{ depth_watch: 0.7, flow_shift_watch: 0.4 }, 'depth_watch', 'flow_shift_watch', 0.3],
    [{}, 'insufficient_evidence', 'replay_context_ready', 0],
  ])('%j: %s before %s by %d', (scores, winner, runnerUp, margin) => {
    expect(scored(scores)).toMatchObject({
      winner,
      runnerUp,
      margin,
      winnerScore: scores[winner] ?? 0,
      runnerUpScore: scores[runnerUp] ?? 0,
    });
  });
});
