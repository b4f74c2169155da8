import { aligned, decimalsOf, grouped, priceText, sizeDecimals, sizeText } from './numbers';

test.each([
  ['0', '0'],
  ['999', '999'],
  ['1000', '1,000'],
  ['-61661.25', '\u221261,661.25'],
  ['1234567.8901', '1,234,567.8901'],
  ['not a number', 'not a number'],
])('%s reads %s', (decimal, text) => {
  expect(grouped(decimal)).toBe(text);
});

test('a column has the decimals of its tick, so that its digits align', () => {
  const prices = ['61665.1', '61662', '61658.75'];
  const decimals = decimalsOf(prices);
  expect(prices.map((each) => aligned(each, decimals))).toEqual(['61,665.10', '61,662.00', '61,658.75']);
  expect(decimalsOf(['5', '12'])).toBe(0);
  expect(aligned('5', 0)).toBe('5');
});

test('computed prices have separators', () => {
  expect([priceText(61664.75), priceText(0.012345)]).toEqual(['61,664.75', '0.012345']);
});

test('sizes of a column have one number of decimals: at most those of the lot', () => {
  expect(sizeDecimals(['0.00161234', '4.297'])).toBe(4);
  expect(sizeDecimals(['1', '2.5'])).toBe(1);
  expect(sizeDecimals(['123456.7', '0.25'])).toBe(0);
  expect([sizeText(0.00161234, 4), sizeText(12_345.678, 1)]).toEqual(['0.0016', '12,345.7']);
});
