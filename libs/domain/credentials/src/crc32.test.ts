import { crc32 } from './crc32';

describe('crc32', () => {
  test.each([
    ['', 0x00000000],
    ['123456789', 0xcbf43926],
    ['The quick brown fox jumps over the lazy dog', 0x414fa339],
  ])('equals the published value for %p', (text, expected) => {
    expect(crc32(text)).toBe(expected);
  });
});
