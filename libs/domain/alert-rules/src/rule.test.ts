import { checkRule } from './rule';

test('a fault quotes at most 64 characters of a word', () => {
  const draft = { kind: 'state_is', params: { states: ['x'.repeat(5_000)] }, cooldownSeconds: 0, minConsecutive: 1 };
  const checked = checkRule(draft);
  if (!('faults' in checked)) throw new Error('the word is no state');
  expect(checked.faults).toEqual([
    { path: ['params', 'states', 0], message: expect.stringMatching(new RegExp(`^"x{64}…" is none of [a-z_, ]+$`)) as unknown },
  ]);
});
