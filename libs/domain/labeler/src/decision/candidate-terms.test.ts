import { POLICY_NUMBERS } from '../policy/numbers';
import { STATES, type Candidate, type StateName, type Term } from '../read';
import { COMPOSITES, type CompositeName } from '../names';
import { scoreCandidates, type CandidateInput, decide } from './decide';

type Parts = Partial<Record<CompositeName, { readonly norm: number; readonly heldPackets?: number }>>;

/** Composites by their norm; each is held for two packets from a norm of 0.5, its watch, on, unless stated otherwise. */
function composites(parts: Parts): CandidateInput['composites'] {
  const entries = COMPOSITES.map((name) => {
    const { norm = 0, heldPackets = norm >= 0.5 ? 2 : 0 } = parts[name] ?? {};
    return [name, { norm, heldPackets }];
  });
  return Object.fromEntries(entries) as CandidateInput['composites'];
}

const QUIET: Omit<CandidateInput, 'composites'> = {
  pressureSide: 0,
  flowSide: 0,
  imbalance5: 0,
  activity: 1,
  crowding: 0,
  crowdingWatch: 0.4,
  earlierCrowding: [],
  sourceSupportRatio: 0.6,
  bookSeen: true,
  bookStale: false,
};

type Fields = Partial<typeof QUIET>;

function candidate(state: StateName, fields: Fields, parts: Parts = {}): Candidate | undefined {
  return scoreCandidates({ ...QUIET, ...fields, composites: composites(parts) }, POLICY_NUMBERS).find((read) => read.state === state);
}

const terms = (values: Readonly<Record<string, number | null>>): readonly Term[] =>
  Object.entries(values).map(([name, value]) => (value === null ? { name, value, note: 'not_available' } : { name, value }));

describe('each candidate: its score and the terms that made it', () => {
  test.each<[string, StateName, Fields, Parts, number, Record<string, number | null>]>([
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
    // 0.45 × 0.7 + 0.3 × 0.5 = 0.315 + 0.15
    [
      'pressure held in an active market, trades on its side',
      'pressure_building',
      { pressureSide: 1, flowSide: 1, activity: 1.2 },
      { pressure: { norm: 0.7 }, flow: { norm: 0.5 } },
      0.465,
      { pressure_norm: 0.7, flow_norm: 0.5, sides_agree: 1, activity: 1.2, open: 1 },
    ],
    [
      'the same on the other side',
      'pressure_building',
      { pressureSide: -1, flowSide: -1, activity: 1.2 },
      { pressure: { norm: 0.7 }, flow: { norm: 0.5 } },
      0.465,
      { pressure_norm: 0.7, flow_norm: 0.5, sides_agree: 1, activity: 1.2, open: 1 },
    ],
    // 0.45 × 1: trades against the book add nothing
    [
      'trades on the opposite side',
      'pressure_building',
      { pressureSide: 1, flowSide: -1, activity: 1.100001 },
      { pressure: { norm: 1 }, flow: { norm: 1 } },
      0.45,
      { pressure_norm: 1, flow_norm: 1, sides_agree: 0, activity: 1.100001, open: 1 },
    ],
    // 0.45 × 0.25: open, so not under 0.36
    [
      'held still, far under watch, without trades',
      'pressure_building',
      { pressureSide: 1, activity: 3 },
      { pressure: { norm: 0.25, heldPackets: 9 } },
      0.36,
      { pressure_norm: 0.25, flow_norm: 0, sides_agree: 0, activity: 3, open: 1 },
    ],
    // 0.45 × 0.5 + 0.3 × 0.5
    [
      'flow held on its side in a market that is not active',
      'pressure_building',
      { pressureSide: 1, flowSide: 1 },
      { pressure: { norm: 0.5 }, flow: { norm: 0.5 } },
      0.375,
      { pressure_norm: 0.5, flow_norm: 0.5, sides_agree: 1, activity: 1, open: 1 },
    ],
    // 0.45 + 0.3 × 0.49 = 0.597, but neither
    [
      'neither flow held on its side nor an active market',
      'pressure_building',
      { pressureSide: 1, flowSide: 1, activity: 1.1 },
      { pressure: { norm: 1 }, flow: { norm: 0.49 } },
      0.34,
      { pressure_norm: 1, flow_norm: 0.49, sides_agree: 1, activity: 1.1, open: 0 },
    ],
    [
      'flow held on the other side in a market that is not active',
      'pressure_building',
      { pressureSide: 1, flowSide: -1 },
      { pressure: { norm: 1 }, flow: { norm: 1 } },
      0.34,
      { pressure_norm: 1, flow_norm: 1, sides_agree: 0, activity: 1, open: 0 },
    ],
    [
      'nor does a pressure that is not held',
      'pressure_building',
      { pressureSide: 1, flowSide: 1, activity: 2 },
      { pressure: { norm: 0.49 }, flow: { norm: 0.9 } },
      0.34,
      { pressure_norm: 0.49, flow_norm: 0.9, sides_agree: 1, activity: 2, open: 0 },
    ],
    // 0.45 × 0.1 + 0.3 × 0.2 = 0.105: closed scores show how near it is
    [
      'little of both',
      'pressure_building',
      { pressureSide: 1, flowSide: 1 },
      { pressure: { norm: 0.1 }, flow: { norm: 0.2 } },
      0.105,
      { pressure_norm: 0.1, flow_norm: 0.2, sides_agree: 1, activity: 1, open: 0 },
    ],
    ['no side at all is one', 'pressure_building', {}, {}, 0, { pressure_norm: 0, flow_norm: 0, sides_agree: 1, activity: 1, open: 0 }],
    // 0.75 × 0.8 × (1 − 0.5 × 0.4)
    [
      'flow held with a book that leans a little',
      'flow_shift_watch',
      {},
      { flow: { norm: 0.8 }, pressure: { norm: 0.4 } },
      0.48,
      { pressure_norm: 0.4, flow_norm: 0.8, open: 1 },
    ],
    // 0.75 × 0.5 × (1 − 0.5 × 1) = 0.1875
    [
      'flow at watch against a full book',
      'flow_shift_watch',
      {},
      { flow: { norm: 0.5 }, pressure: { norm: 1 } },
      0.36,
      { pressure_norm: 1, flow_norm: 0.5, open: 1 },
    ],
    ['flow just under watch', 'flow_shift_watch', {}, { flow: { norm: 0.49 } }, 0.34, { pressure_norm: 0, flow_norm: 0.49, open: 0 }],
    // 0.75 × 0.6
    ['the fragility norm', 'fragile_depth_watch', {}, { fragility: { norm: 0.6 } }, 0.45, { fragility_norm: 0.6, open: 1 }],
    ['fragility not held', 'fragile_depth_watch', {}, { fragility: { norm: 0.2 } }, 0.15, { fragility_norm: 0.2, open: 0 }],
    // 0.75 × 0.8 × (1 − 0.2)
    [
      'depth with some flow, the newest book on its side',
      'depth_watch',
      { pressureSide: -1, imbalance5: -0.4 },
      { pressure: { norm: 0.8 }, flow: { norm: 0.2 } },
      0.48,
      { pressure_norm: 0.8, flow_norm: 0.2, activity: 1, newest_lean: 0.4, open: 1 },
    ],
    [
      'depth with full flow is open, and no more',
      'depth_watch',
      { pressureSide: 1, imbalance5: 0.3, activity: 1.1 },
      { pressure: { norm: 1 }, flow: { norm: 1 } },
      0.36,
      { pressure_norm: 1, flow_norm: 1, activity: 1.1, newest_lean: 0.3, open: 1 },
    ],
    [
      'depth alone, in a quiet market',
      'depth_watch',
      { pressureSide: 1, imbalance5: 0.9, activity: 0.4 },
      { pressure: { norm: 1 } },
      0.75,
      { pressure_norm: 1, flow_norm: 0, activity: 0.4, newest_lean: 0.9, open: 1 },
    ],
    [
      'a newest book that leans too little',
      'depth_watch',
      { pressureSide: 1, imbalance5: 0.299999 },
      { pressure: { norm: 1 } },
      0.34,
      { pressure_norm: 1, flow_norm: 0, activity: 1, newest_lean: 0.299999, open: 0 },
    ],
    [
      'a newest book on the other side',
      'depth_watch',
      { pressureSide: 1, imbalance5: -0.9 },
      { pressure: { norm: 1 } },
      0.34,
      { pressure_norm: 1, flow_norm: 0, activity: 1, newest_lean: -0.9, open: 0 },
    ],
    [
      'an active market',
      'depth_watch',
      { pressureSide: 1, imbalance5: 0.9, activity: 1.100001 },
      { pressure: { norm: 1 } },
      0.34,
      { pressure_norm: 1, flow_norm: 0, activity: 1.100001, newest_lean: 0.9, open: 0 },
    ],
    [
      'no depth',
      'depth_watch',
      { pressureSide: 1, imbalance5: 0.9 },
      { pressure: { norm: 0.3 } },
      0.225,
      { pressure_norm: 0.3, flow_norm: 0, activity: 1, newest_lean: 0.9, open: 0 },
    ],
    // mean (0.3 + 0.4) / 2 = 0.35; |0.42 − 0.35| / 0.10 = 0.7; 0.8 × 0.7
    [
      'crowding moved',
      'crowding_shift',
      { crowding: 0.42, earlierCrowding: [0.3, 0.4] },
      { crowding: { norm: 0.8 } },
      0.56,
      { crowding_norm: 0.8, crowding_mean: 0.35, crowding_change: 0.7, open: 1 },
    ],
    // |0.45 − 0.4| / 0.10 = 0.5, just enough: 0.6 × 0.5 = 0.3, open
    [
      'crowding moved by half of what counts in full',
      'crowding_shift',
      { crowding: 0.45, earlierCrowding: [0.4] },
      { crowding: { norm: 0.6 } },
      0.36,
      { crowding_norm: 0.6, crowding_mean: 0.4, crowding_change: 0.5, open: 1 },
    ],
    // |0.449 − 0.4| / 0.10 = 0.49: 0.9 × 0.49 = 0.441
    [
      'crowding moved by a little less',
      'crowding_shift',
      { crowding: 0.449, earlierCrowding: [0.4] },
      { crowding: { norm: 0.9 } },
      0.34,
      { crowding_norm: 0.9, crowding_mean: 0.4, crowding_change: 0.49, open: 0 },
    ],
    // |0.2 − 0.4| / 0.10 = 2, at most 1
    [
      'crowding moved far and is not held',
      'crowding_shift',
      { crowding: 0.2, earlierCrowding: [0.4] },
      { crowding: { norm: 0.25 } },
      0.25,
      { crowding_norm: 0.25, crowding_mean: 0.4, crowding_change: 1, open: 0 },
    ],
    [
      'crowding with nothing before',
      'crowding_shift',
      { crowding: 0.5 },
      { crowding: { norm: 0.6 } },
      0,
      { crowding_norm: 0.6, crowding_mean: 0.5, crowding_change: 0, open: 0 },
    ],
    [
      '59 packets before: no share yet',
      'crowding_persistent',
      { earlierCrowding: Array<number>(59).fill(0.9) },
      { crowding: { norm: 0.8 } },
      0,
      { crowding_norm: 0.8, crowded_share: null, open: 0 },
    ],
    // 30 of 60 at exactly watch, 30 under: 0.8 × 0.5
    [
      '60 packets before, half at watch',
      'crowding_persistent',
      { earlierCrowding: [...Array<number>(30).fill(0.4), ...Array<number>(30).fill(0.399999)] },
      { crowding: { norm: 0.8 } },
      0.4,
      { crowding_norm: 0.8, crowded_share: 0.5, open: 1 },
    ],
    // 20 of 60: 0.8 × 0.333333 = 0.2666664
    [
      '60 packets before, a third at watch',
      'crowding_persistent',
      { earlierCrowding: [...Array<number>(20).fill(0.4), ...Array<number>(40).fill(0.399999)] },
      { crowding: { norm: 0.8 } },
      0.266666,
      { crowding_norm: 0.8, crowded_share: 0.333333, open: 0 },
    ],
    [
      'crowding that is not held',
      'crowding_persistent',
      { earlierCrowding: Array<number>(60).fill(0.4) },
      { crowding: { norm: 0.4 } },
      0.34,
      { crowding_norm: 0.4, crowded_share: 1, open: 0 },
    ],
    // the calibrated watch threshold counts, not the policy's
    [
      'another watch threshold',
      'crowding_persistent',
      { crowdingWatch: 0.5, earlierCrowding: Array<number>(60).fill(0.45) },
      { crowding: { norm: 0.8 } },
      0,
      { crowding_norm: 0.8, crowded_share: 0, open: 0 },
    ],
    ['the regime norm', 'regime_transition_candidate', {}, { regime: { norm: 0.55 } }, 0.55, { regime_norm: 0.55, open: 1 }],
    ['regime not held', 'regime_transition_candidate', {}, { regime: { norm: 0.3 } }, 0.3, { regime_norm: 0.3, open: 0 }],
    ['the floor', 'market_state_watch', { bookSeen: false }, { pressure: { norm: 1 } }, 0.35, { floor: 0.35 }],
  ])('%s: %s', (_name, state, fields, parts, score, expected) => {
    const open = 'open' in expected ? expected['open'] === 1 : null;
    expect(candidate(state, fields, parts)).toEqual({ state, score, terms: terms(expected), open });
  });
});

test('nothing opens in the first packet that holds its composite', () => {
  const fields = { pressureSide: 1, flowSide: 1, imbalance5: 0.9, crowding: 0.5, earlierCrowding: Array<number>(60).fill(0.4) } as const;
  const openWith = (heldPackets: number) => {
    const parts = composites(Object.fromEntries(COMPOSITES.map((name) => [name, { norm: 1, heldPackets }])));
    return scoreCandidates({ ...QUIET, ...fields, composites: parts }, POLICY_NUMBERS).flatMap(({ state, open }) =>
      open === true ? state : [],
    );
  };
  expect(openWith(1)).toEqual([]);
  expect(openWith(2)).toEqual(STATES.slice(2, 9));
});

describe('the raw decision', () => {
  const scored = (scores: Partial<Record<StateName, number>>) =>
    decide(STATES.map((state) => ({ state, score: scores[state] ?? 0, terms: [], open: null })));

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
