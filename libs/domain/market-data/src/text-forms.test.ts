import fc from 'fast-check';
import { crockford, fromBase64, fromHex, toBase64 } from './text-forms';

test.each([
  [[0xff, 0xff, 0xff, 0xff, 0xff], 8, 'zzzzzzzz'],
  [[0x00, 0x44, 0x32, 0x14, 0xc7], 8, '01234567'], // 00000 00001 00010 00011 00100 00101 00110 00111
  [[0x80], 1, 'g'],
  [[0x08, 0x00], 2, '10'],
])('the bytes %j are %d characters %s', (bytes, characters, text) => {
  expect(crockford(Uint8Array.from(bytes), characters)).toBe(text);
});

test('hex and base64 are those of any other program, and go both ways', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
      const buffer = Buffer.from(bytes);
      expect(toBase64(bytes)).toBe(buffer.toString('base64'));
      expect(Buffer.compare(fromBase64(toBase64(bytes)) ?? Buffer.alloc(1), buffer)).toBe(0);
      expect(Buffer.compare(fromHex(buffer.toString('hex')), buffer)).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('what is no base64 has no bytes, and hex ends where it is none', () => {
  expect(['!', 'A', 'AA', 'AAA', 'AA=A', 'AAAA=', 'AA-_', 'AB==', 'AAB='].map(fromBase64)).toEqual(Array.from({ length: 9 }));
  expect(['0g', 'abc', 'ab cd', ''].map((text) => Buffer.from(fromHex(text)).toString('hex'))).toEqual(['', 'ab', 'ab', '']);
});
