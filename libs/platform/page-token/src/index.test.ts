import fc from 'fast-check';
import { z } from 'zod';
import { cutPage, pageTokenFaults, readToken, writeToken } from './index';

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

test('a page has a next one only if more rows were found', () => {
  const tokenAfter = (last: number) => `after ${last}`;
  expect(cutPage([1, 2, 3], 2, tokenAfter)).toEqual({ page: [1, 2], nextPageToken: 'after 2' });
  expect(cutPage([1, 2], 2, tokenAfter)).toEqual({ page: [1, 2], nextPageToken: '' });
  expect(cutPage([], 2, tokenAfter)).toEqual({ page: [], nextPageToken: '' });
});

test('only a token without a position is a fault', () => {
  expect(pageTokenFaults('', undefined)).toEqual([]);
  expect(pageTokenFaults('W10', 0)).toEqual([]);
  expect(pageTokenFaults('W10', undefined)).toEqual([{ field: 'page_token', message: 'does not belong to this query', type: 'malformed' }]);
});
