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
