import { addDecimals, multiplyDecimals } from '@market-state/market-data';
import fc from 'fast-check';
import { compareExact, exactOf, ExactSum, product } from './trade-candles';

const decimal = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.option(fc.stringMatching(/^[0-9]{1,20}$/)))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`);

test('a sum, and products in it, lose no digit', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(decimal, decimal)), (pairs) => {
      const sum = new ExactSum();
      for (const [a, b] of pairs) sum.add(product(exactOf(a), exactOf(b)));
      const expected = pairs.reduce((total, [a, b]) => addDecimals(total, multiplyDecimals(a, b)), '0');
      expect(addDecimals(sum.toString(), '0')).toBe(expected);
    }),
    { seed: 20_260_105 },
  );
});

test('decimals are compared by value, however they are written', () => {
  expect(compareExact(exactOf('1.50'), exactOf('1.5'))).toBe(0);
  expect(compareExact(exactOf('0.1'), exactOf('0.09'))).toBeGreaterThan(0);
  expect(compareExact(exactOf('-2'), exactOf('-1.999999999999999999999'))).toBeLessThan(0);
});
