import fc from 'fast-check';
import { normalizeDecimal } from './decimal';
import { anyDecimal, positiveDecimal } from './positive-decimal';

it('gives what exact arithmetic gives, for any positive decimal', () => {
  const digits = fc.stringMatching(/^[0-9]{1,12}$/);
  const decimal = fc.oneof(
    digits,
    fc.tuple(digits, digits).map((parts) => parts.join('.')),
    fc.tuple(digits, fc.integer({ min: -12, max: 12 })).map((parts) => parts.join('e')),
  );
  fc.assert(
    fc.property(decimal, (text) => {
      const plain = normalizeDecimal(text);
      expect(positiveDecimal(text)).toBe(plain === '0' ? undefined : plain);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['105055.0', '105055'],
  ['0.50000', '0.5'],
  ['100', '100'],
  ['0100', '100'],
  ['8e-05', '0.00008'],
  ['12345678901234567890.5', '12345678901234567890.5'],
])('%s is %s', (text, plain) => {
  expect(positiveDecimal(text)).toBe(plain);
});

it.each(['0', '0.000', '-1', '-0', '', '.', '1.', '.5', 'nan', 'inf', '1e999', '0x10', ' 1', 5, null, undefined])(
  '%j is no positive decimal',
  (text) => {
    expect(positiveDecimal(text)).toBeUndefined();
  },
);

it('takes either sign where it may', () => {
  expect([anyDecimal('-0.00001'), anyDecimal('0.0'), anyDecimal('-1e-3'), anyDecimal('none'), anyDecimal(1)]).toEqual([
    '-0.00001',
    '0',
    '-0.001',
    undefined,
    undefined,
  ]);
});
