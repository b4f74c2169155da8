import fc from 'fast-check';
import { crockford, fromBase64, fromHex, toBase64, secondsToMs, parseUtcInstant } from './text-forms';

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

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 200) };

test.each([
  ['2024-02-29', 1_709_164_800_000],
  ['2024-02-29T00:00Z', 1_709_164_800_000],
  ['2024-02-29 00:00:00', 1_709_164_800_000],
  ['2024-02-29t00:00:00.0019z', 1_709_164_800_001],
  ['2024-02-29T01:30:00+01:30', 1_709_164_800_000],
  ['2024-02-28T23:00:00-01:00', 1_709_164_800_000],
  ['2016-12-31T23:59:59.999999999999', 1_483_228_799_999],
])('%s is read', (text, ms) => {
  expect(parseUtcInstant(text)).toBe(ms);
});

test.each([
  '',
  '2024-02-30T00:00:00Z',
  '2023-02-29',
  '2024-04-31',
  '2024-00-10',
  '2024-13-01',
  '2024-01-00',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:60:00Z',
  '2016-12-31T23:59:60Z',
  '2024-01-01T00:00:00+24:00',
  '2024-1-1',
  ' 2024-01-01',
  '2024-01-01Z',
  '12024-01-01',
])('%j is refused', (text) => {
  expect(parseUtcInstant(text)).toBeUndefined();
});

test('every instant of the years 0 to 9999 is read as it is written', () => {
  const instants = fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(instants, (date) => parseUtcInstant(date.toISOString()) === date.getTime()),
    RUNS,
  );
});

it.each([
  ['1786310819.5264041', 1_786_310_819_526],
  ['1786310819.72', 1_786_310_819_720],
  ['1786310819.9999999', 1_786_310_819_999],
  ['1786310819', 1_786_310_819_000],
  ['1786310819.', undefined],
  ['-1786310819.5', undefined],
  ['1.7e9', undefined],
  ['', undefined],
])('%s seconds are floored to %s ms on their digits', (text, ms) => {
  expect(secondsToMs(text)).toBe(ms);
});
