import { decimalText, decimalWriter } from './market';

test.each([
  [15_000, 1, '1500'],
  [15_001, 1, '1500.1'],
  [1_250, 2, '12.5'],
  [7, 2, '0.07'],
  [0, 2, '0'],
  [-125_000, 10, '-0.0000125'],
  [42, 0, '42'],
])('%i units of 10^-%i are %s', (units, decimals, text) => {
  expect(decimalText(units, decimals)).toBe(text);
});

test('a writer says the same each time, beyond what it remembers too', () => {
  const write = decimalWriter(2);
  expect([write(150), write(150), write(6_553_600)]).toEqual(['1.5', '1.5', '65536']);
});
