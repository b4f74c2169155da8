import { summaryOf } from './run-suites';

test('the summary lists each suite with its form, result, time and seed, and counts them', () => {
  const lines = summaryOf([
    { id: 'keys', form: 'short', result: 'passed', seconds: 12.4, seed: 1, note: '' },
    { id: 'credit-model', form: 'short', result: 'failed', seconds: 3, seed: 20_270_115, note: '2 failures' },
    { id: 'image', form: 'short', result: 'skipped', seconds: 0, seed: undefined, note: 'not root' },
  ]);
  expect(lines).toEqual([
    'suite         form   result   seconds      seed',
    'keys          short  passed        12         1',
    'credit-model  short  failed         3  20270115  2 failures',
    'image         short  skipped                     not root',
    '1 passed, 1 failed, 1 skipped, in 15 s',
  ]);
});
