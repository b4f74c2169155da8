import fc from 'fast-check';
import { z } from 'zod';
import { readToken, writeToken } from './page-token';

const SCHEMA = z.tuple([z.literal('x1'), z.string(), z.int().min(0), z.boolean()]);
const values = fc.tuple(fc.constant('x1' as const), fc.string({ unit: 'grapheme', maxLength: 50 }), fc.nat(), fc.boolean());
const seed = 20_261_123;

test('gives back what was written, for any values', () => {
  fc.assert(
    fc.property(values, (list) => {
      expect(readToken(SCHEMA, writeToken(list))).toEqual(list);
    }),
    { seed },
  );
});

test('takes no text that it did not write', () => {
  fc.assert(
    fc.property(values, fc.nat(), fc.constantFrom(...'AZaz09_-=. '), (list, at, letter) => {
      const token = writeToken(list);
      const index = at % token.length;
      const changed = token.slice(0, index) + letter + token.slice(index + 1);
      const read = readToken(SCHEMA, changed);
      if (read !== undefined) expect(writeToken(read)).toBe(changed);
    }),
    { seed },
  );
});

test.each([
  '',
  'W10',
  'e30',
  'bnVsbA',
  'not json',
  Buffer.from('["x1","a",1,true] ').toString('base64url'),
  Buffer.from('["y1","a",1,true]').toString('base64url'),
  'A'.repeat(801),
])('refuses %j', (text) => {
  expect(readToken(SCHEMA, text)).toBeUndefined();
});
