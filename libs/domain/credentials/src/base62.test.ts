import { BASE62_DIGITS, drawBase62, toBase62 } from './key';

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
