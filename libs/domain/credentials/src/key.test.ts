import fc from 'fast-check';
import { BASE62_DIGITS, displayParts, formatKey, KEY_RANDOM_SIZE_BYTES, keyDigest, parseKey, drawBase62, toBase62 } from './key';

const randomBytes = fc
  .uint8Array({ minLength: KEY_RANDOM_SIZE_BYTES, maxLength: KEY_RANDOM_SIZE_BYTES })
  .filter((bytes) => bytes.filter((byte) => byte < 248).length >= 40);
const someKey = fc.tuple(fc.constantFrom('live' as const, 'test' as const), randomBytes).map(([kind, bytes]) => formatKey(kind, bytes));

/** Worked out apart from this code, with another CRC-32, base 62 and SHA-256. */
const VECTORS = [
  {
    kind: 'live' as const,
    bytes: Array.from({ length: 40 }, () => 0),
    key: `msk_live_${'0'.repeat(40)}1Dix9s`,
    digest: '6fb44c2550d31f740dfb1b8d7aa51875afeb454ea8823ae7c2885d1205b83cc6',
  },
  {
    kind: 'test' as const,
    bytes: Array.from({ length: 40 }, () => 61),
    key: `msk_test_${'z'.repeat(40)}1B4cdp`,
    digest: 'a70512f49bd2751965f5ecf3ba448fa860bef3668b3474277d253a59cc5436a4',
  },
  {
    kind: 'live' as const,
    bytes: Array.from({ length: 40 }, (_, index) => index),
    key: 'msk_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd4Xp82H',
    digest: 'e213b34888892cca33fc85f8ff646fd8087a94dcb7692a07d0b8935e333a06cd',
  },
];

describe('a key', () => {
  test.each(VECTORS)('made of known bytes is $key', ({ kind, bytes, key, digest }) => {
    expect(formatKey(kind, Uint8Array.from(bytes))).toBe(key);
    expect(parseKey(key)).toBe(kind);
    expect(keyDigest(key).toString('hex')).toBe(digest);
  });

  test('has its checksum padded to six digits', () => {
    expect(parseKey('msk_test_000000000000000000000000000000000000000100CnIG')).toBe('test');
  });

  test('reads back with the kind it was made with', () => {
    fc.assert(
      fc.property(fc.constantFrom('live' as const, 'test' as const), randomBytes, (kind, bytes) => {
        const key = formatKey(kind, bytes);
        expect(key).toMatch(/^msk_(live|test)_[0-9A-Za-z]{46}$/);
        expect(parseKey(key)).toBe(kind);
      }),
    );
  });

  test('shows its first twelve and last four characters', () => {
    const key = 'msk_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd4Xp82H';
    expect(displayParts(key)).toEqual({ first: 'msk_live_012', last: 'p82H' });
  });
});

describe('a key is refused', () => {
  test('with any single character changed to any other, at every place', () => {
    fc.assert(
      fc.property(someKey, (key) => {
        for (let index = 0; index < key.length; index += 1) {
          for (const digit of `${BASE62_DIGITS}_- \n`) {
            if (digit === key[index]) continue;
            expect(parseKey(key.slice(0, index) + digit + key.slice(index + 1))).toBeNull();
          }
        }
      }),
      { numRuns: 5 },
    );
  });

  test('with two neighbouring characters swapped', () => {
    fc.assert(
      fc.property(someKey, fc.nat({ max: 53 }), (key, index) => {
        const swapped = key.slice(0, index) + key.charAt(index + 1) + key.charAt(index) + key.slice(index + 2);
        expect(parseKey(swapped)).toBe(swapped === key ? parseKey(key) : null);
      }),
    );
  });

  test('with a character too many or too few, or blank space around it', () => {
    fc.assert(
      fc.property(someKey, (key) => {
        for (const text of [key.slice(1), key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()]) {
          expect(parseKey(text)).toBeNull();
        }
      }),
    );
  });

  test('when it is any other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => parseKey(text) === null));
  });

  test('when too few random bytes are given to make it', () => {
    expect(() => formatKey('live', new Uint8Array(39))).toThrow(RangeError);
  });
});

describe('base62', () => {
  test.each([
    [0, 6, '000000'],
    [61, 1, 'z'],
    [62, 2, '10'],
    [2 ** 32 - 1, 6, '4gfFC3'],
  ])('%d in %d digits is %s', (value, length, expected) => {
    expect(toBase62(value, length)).toBe(expected);
  });

  test('every digit is drawn by equally many byte values', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 248; byte += 1) {
      const digit = drawBase62(Uint8Array.of(byte), 1);
      counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect([...counts.keys()].sort().join('')).toBe([...BASE62_DIGITS].sort().join(''));
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });

  test('bytes that would favour some digits are passed over', () => {
    expect(drawBase62(Uint8Array.of(248, 255, 7), 1)).toBe('7');
    expect(() => drawBase62(Uint8Array.of(248, 255), 1)).toThrow(RangeError);
  });
});
