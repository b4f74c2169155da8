import { rangeOf, sumOf } from './read-rows';

test.each([
  [['0.1', '0.2'], '0.3'],
  [['1', '2.50', '0.5'], '4'],
  [['-1.25', '1'], '-0.25'],
  [['123456789012345678.1', '0.000000001'], '123456789012345678.100000001'],
  [[], '0'],
])('the sum of %j is %s', (decimals, sum) => {
  expect(sumOf(decimals)).toBe(sum);
});

test('least and greatest are as they were written', () => {
  expect([rangeOf(['10', '9.50', '100.0']), rangeOf([])]).toEqual([
    { low: '9.50', high: '100.0' },
    { low: null, high: null },
  ]);
});
