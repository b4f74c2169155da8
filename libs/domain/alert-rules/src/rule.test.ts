import { checkRule } from './rule';

test('a fault quotes at most 64 characters of a word', () => {
  const draft = { kind: 'state_is', params: { states: ['x'.repeat(5_000)] }, cooldownSeconds: 0, minConsecutive: 1 };
  const checked = checkRule(draft);
  if (!('faults' in checked)) throw new Error('the word is no state');
  expect(checked.faults).toEqual([
    { path: ['params', 'states', 0], message: expect.stringMatching(new RegExp(`^"x{64}…" is not one of [a-z_, ]+$`)) as unknown },
  ]);
});

test('the preset liquidity_mirage_score_change is a score_change with its own parameters, unless the draft has others', () => {
  const draft = (params: object) => ({ kind: 'liquidity_mirage_score_change', params, cooldownSeconds: 60, minConsecutive: 2 });
  const params = { score: 'queue_fragility_score', by: 0.2, packets: 3, direction: 'either' };
  expect(checkRule(draft({}))).toEqual({ rule: { kind: 'score_change', params, cooldownSeconds: 60, minConsecutive: 2 } });
  expect(checkRule(draft({ by: 0.1, direction: 'rise' }))).toMatchObject({ rule: { params: { ...params, by: 0.1, direction: 'rise' } } });
  expect(checkRule(draft({ seconds: 60 }))).toEqual({
    faults: [{ path: ['params', 'seconds'], message: 'is not a parameter of score_change' }],
  });
});

test.each([
  ['state_is', {}, 'states', 'is required'],
  ['state_is', { states: 'depth_watch' }, 'states', 'must be a list'],
  ['state_is', { states: [] }, 'states', 'must not be empty'],
  ['score_change', { score: 'novelty_score', by: 0, packets: 3 }, 'by', 'must be more than 0'],
  ['score_change', { score: 'novelty_score', by: '0.1', packets: 3 }, 'by', 'must be a number'],
  ['feed_stale', { seconds: 1_000_000 }, 'seconds', expect.stringMatching(/^must be at most \d+$/)],
  ['feed_stale', { channel: 'candles' }, 'channel', expect.stringMatching(/^must be one of /)],
])('a fault of %s with %j is one sentence', (kind, params, name, message) => {
  const checked = checkRule({ kind, params, cooldownSeconds: 0, minConsecutive: 1 });
  expect(checked).toEqual({ faults: [{ path: ['params', name], message }] });
});
