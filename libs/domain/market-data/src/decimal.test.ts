import fc from 'fast-check';
import { addDecimals, divideDecimals, inverseSize, multiplyDecimals } from '.';
import {
  compareDecimals,
  DecimalFormatError,
  normalizeDecimal,
  decimalAsSent,
  positiveAsSent,
  unsignedAsSent,
  anyDecimal,
  positiveDecimal,
  fundingOf,
} from './decimal';

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

describe('a decimal as sent', () => {
  it.each(['0.00010000', '-0.0000125', '65118.00', '0', '0.0', '12', '1142118412.9021000'])('%s is kept to the last digit', (text) => {
    expect(decimalAsSent(text)).toBe(text);
  });

  it.each([
    ['1e-5', '0.00001'],
    ['+1.50', '1.5'],
    ['007.0', '7'],
    ['-0.00', '0'],
  ])('%s is no plain notation and becomes %s', (text, plain) => {
    expect(decimalAsSent(text)).toBe(plain);
  });

  it.each([['1.'], ['.5'], ['NaN'], [''], [' 1'], [5], [null], ['0x10'], ['1,5']])('%j is none', (text) => {
    expect(decimalAsSent(text)).toBeUndefined();
    expect(positiveAsSent(text)).toBeUndefined();
    expect(unsignedAsSent(text)).toBeUndefined();
  });

  it('may be asked to be of no sign, or above zero', () => {
    expect(unsignedAsSent('-1.0')).toBeUndefined();
    expect(unsignedAsSent('0.00')).toBe('0.00');
    expect(positiveAsSent('0.00')).toBeUndefined();
    expect(positiveAsSent('-1.0')).toBeUndefined();
    expect(positiveAsSent('1.0')).toBe('1.0');
  });
});

describe('funding', () => {
  it('by the hour is the rate as sent', () => {
    expect(fundingOf('0.00001250', 1)).toEqual({ fundingRate: '0.00001250' });
  });

  it('of longer intervals is the quotient, along with the rate as sent and the interval', () => {
    expect(fundingOf('-0.00010000', 8)).toEqual({ fundingRate: '-0.0000125', venueFundingRate: '-0.00010000', fundingIntervalHours: 8 });
    expect(fundingOf('0.0001', 3)).toMatchObject({ fundingRate: '0.000033333333' });
  });
});

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat({ max: 12 }))
  .map(([digits, scale]) => scaled(digits, scale));

/** digits / 10^scale as text, written by hand. */
function scaled(digits: bigint, scale: number): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const plain = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
  return digits < 0n ? `-${plain}` : plain;
}

/** The number as an integer count of 10^-40. */
function units(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(40, '0'));
  return text.startsWith('-') ? -magnitude : magnitude;
}

describe('decimal arithmetic', () => {
  it.each([
    ['61804.70', '61804.7'],
    ['5000.0', '5000'],
    ['0', '0'],
    ['-0.00', '0'],
    ['007', '7'],
    ['+1.5', '1.5'],
    ['1.50e1', '15'],
    ['25e-3', '0.025'],
    ['1E3', '1000'],
    ['.5', undefined],
    ['1.', undefined],
    ['', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['0x10', undefined],
    ['1,000', undefined],
    [' 1', undefined],
    ['1e400', undefined],
  ])('normalizes %j to %j', (text, expected) => {
    if (expected === undefined) expect(() => normalizeDecimal(text)).toThrow(DecimalFormatError);
    else expect(normalizeDecimal(text)).toBe(expected);
  });

  it.each([
    ['1', '8', 2, '0.12'],
    ['3', '8', 2, '0.38'],
    ['1', '3', 4, '0.3333'],
    ['2', '3', 4, '0.6667'],
    ['-1', '8', 2, '-0.12'],
    ['-3', '-8', 2, '0.38'],
    ['5', '2', 0, '2'],
    ['7', '2', 0, '4'],
    ['0.5', '0.001', 0, '500'],
    ['1', '1000000', 3, '0'],
  ])('divides %s by %s to %i decimals, halves to even: %s', (a, b, decimals, expected) => {
    expect(divideDecimals(a, b, decimals)).toBe(expected);
  });

  it('refuses to divide by zero', () => {
    expect(() => divideDecimals('1', '0.00', 2)).toThrow(RangeError);
  });

  it('adds, multiplies and compares exactly', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(units(addDecimals(a, b))).toBe(units(a) + units(b));
        expect(units(multiplyDecimals(a, b)) * 10n ** 40n).toBe(units(a) * units(b));
        expect(Math.sign(compareDecimals(a, b))).toBe(units(a) === units(b) ? 0 : units(a) < units(b) ? -1 : 1);
      }),
    );
  });

  it('divides to the nearest value, never more than half a unit off', () => {
    fc.assert(
      fc.property(decimal, decimal, fc.nat({ max: 14 }), (a, b, decimals) => {
        fc.pre(units(b) !== 0n);
        const quotient = units(divideDecimals(a, b, decimals));
        const error = quotient * units(b) - units(a) * 10n ** 40n;
        const half = (units(b) * 10n ** BigInt(40 - decimals)) / 2n;
        expect((error < 0n ? -error : error) <= (half < 0n ? -half : half)).toBe(true);
      }),
    );
  });

  it('normalizes to one text for each value', () => {
    fc.assert(
      fc.property(decimal, fc.nat({ max: 5 }), (text, zeros) => {
        const padded = (text.includes('.') ? text : `${text}.`) + '0'.repeat(zeros + 1);
        expect(normalizeDecimal(padded)).toBe(normalizeDecimal(text));
        expect(units(normalizeDecimal(text))).toBe(units(text));
        expect(normalizeDecimal(text)).not.toMatch(/\.[0-9]*0$|\.$|^-0$/);
      }),
    );
  });
});

describe('size of an inverse contract', () => {
  it.each([
    // 0.05662999739502011..., 0.00647198922672672...
    ['35', '100', '61804.7', '0.056629997395'],
    ['4', '100', '61804.8', '0.006471989231'],
    ['1', '10', '2500.0', '0.004'],
    ['100', '100', '50000', '0.2'],
    ['60000', '100', '60000.0', '100'],
    // exactly half of the last place: 0.0000000000005 goes to even 0, 0.0000000000015 to even 2
    ['1', '1', '2000000000000', '0'],
    ['3', '1', '2000000000000', '0.000000000002'],
    ['999999999999', '1', '1000000000000', '0.999999999999'],
  ])('%s contracts of %s USD at %s are %s', (contracts, value, price, expected) => {
    expect(inverseSize(contracts, value, price)).toBe(expected);
  });

  it('equals the exact division for every contract count and price', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 9 }),
        fc.constantFrom('100', '10', '1'),
        fc.integer({ min: 1, max: 10 ** 8 }),
        fc.nat({ max: 4 }),
        (contracts, value, digits, scale) => {
          const price = scaled(BigInt(digits), scale);
          const exact = divideDecimals(multiplyDecimals(String(contracts), value), price, 12);
          expect(inverseSize(String(contracts), value, price)).toBe(exact);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
