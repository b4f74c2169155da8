import { skewOf } from './get-liquidations-context';

it.each([
  ['300', '100', 0.5, 'sell'],
  ['100', '300', -0.5, 'buy'],
  ['1', '0', 1, 'sell'],
  ['0', '0.000000000001', -1, 'buy'],
  ['2.50', '2.5', 0, 'balanced'],
  ['2', '1', 0.333333, 'sell'],
  ['0', '0', null, null],
] as const)('of %s long and %s short', (long, short, skew, direction) => {
  expect(skewOf(long, short)).toEqual({ skew, direction });
});
