import { buildMeta, type AnswerFacts, originOf } from './meta';

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
