import { midAndSpread } from './get-book-l2-latest';

it.each([
  ['99', '101', '100', 200],
  ['0.1', '0.2', '0.15', 6666.666667],
  ['60000.1', '60000.2', '60000.15', 0.016667],
  ['100', '100', '100', 0],
  ['101', '99', '100', -200],
] as const)('gives mid and spread of %s and %s', (bid, ask, mid, spreadBps) => {
  expect(midAndSpread(bid, ask)).toEqual({ mid, spreadBps });
});

it('gives neither without both sides', () => {
  expect(midAndSpread(undefined, '1')).toEqual({ mid: null, spreadBps: null });
  expect(midAndSpread('1', undefined)).toEqual({ mid: null, spreadBps: null });
});
