import { buildMeta, type AnswerFacts, originOf, isInstantOrEmpty, parseInstant, answerText } from './meta';

it('names each origin once and never calls an unknown one the venue', () => {
  expect(originOf(['live'])).toBe('the venue');
  expect(originOf(['recorded', 'simulated', 'recorded'])).toBe('a re-timed recording and a simulated venue');
  expect(originOf(['unknown'])).not.toContain('venue');
});

const FACTS: AnswerFacts = {
  sourceKinds: ['live'],
  freshness: 'fresh',
  availability: 'available',
  statusText: 'x',
  auth: 'api_key',
  requiresApiKey: true,
  metered: true,
  sourceCurrentOnly: true,
};

it.each<[Partial<AnswerFacts>, string, boolean, boolean]>([
  [{}, 'live', true, false],
  [{ freshness: 'stale' }, 'live', false, false],
  [{ availability: 'partial' }, 'live', false, false],
  [{ preview: true, delayed: true }, 'preview', false, false],
  [{ preview: true, sourceKinds: ['simulated'] }, 'preview', false, true],
  [{ delayed: true }, 'delayed_sandbox', false, false],
  [{ delayed: true, sourceKinds: ['simulated'] }, 'delayed_sandbox', false, true],
  [{ sourceKinds: ['recorded'] }, 'recorded_replay', false, false],
  [{ sourceKinds: ['live', 'recorded'] }, 'recorded_replay', false, false],
  [{ sourceKinds: ['live', 'simulated', 'recorded'] }, 'synthetic', false, true],
  [{ sourceKinds: ['unknown'] }, 'recorded_replay', false, false],
  [{ sourceKinds: [] }, 'recorded_replay', false, false],
])('calls %j %s', (facts, state, liveCurrent, synthetic) => {
  const meta = buildMeta({ ...FACTS, ...facts });
  expect(meta.response_semantics).toMatchObject({ response_state: state, live_current: liveCurrent });
  expect(meta.synthetic).toBe(synthetic);
});

describe('parseInstant', () => {
  it.each([
    ['0', 0],
    ['1767225600000', 1_767_225_600_000],
    ['2026-01-01T00:00:00Z', 1_767_225_600_000],
    ['2026-01-01t00:00:00.123456z', 1_767_225_600_123],
    ['2026-01-01T02:00:00+02:00', 1_767_225_600_000],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
    ['253402300799999', 253_402_300_799_999],
  ])('reads %s', (text, instantMs) => {
    expect(parseInstant(text)).toBe(instantMs);
  });

  it.each([
    '',
    ' ',
    'now',
    '-1',
    '1.5',
    '1e3',
    '253402300800000',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-12-31T23:59:60Z',
    '2026-13-01T00:00:00Z',
    '1900-01-01T00:00:00Z',
  ])('reads nothing from %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it('takes empty where the document does', () => {
    expect(isInstantOrEmpty('')).toBe(true);
    expect(isInstantOrEmpty('x')).toBe(false);
  });
});

test('answers name a market by symbol and venue, also inside, and else keep their bytes', () => {
  const plain = { symbol: 'BTCUSD-PERP', rows: [{ symbol: 'ETHUSD-PERP', venue: 'okx' }] };
  expect(answerText(plain)).toBe(JSON.stringify(plain));
  const answer = {
    symbol: 'BTCUSD-PERP@okx',
    rows: [{ symbol: 'BTCUSD-PERP@okx', venue: 'okx', n: 1 }, plain],
    symbols: ['BTCUSD-PERP@okx'],
  };
  expect(JSON.parse(answerText(answer))).toEqual({
    symbol: 'BTCUSD-PERP',
    venue: 'okx',
    rows: [{ symbol: 'BTCUSD-PERP', venue: 'okx', n: 1 }, plain],
    symbols: ['BTCUSD-PERP@okx'],
  });
});
