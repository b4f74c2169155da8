import { keysOf } from './given-keys';
import { UnreadableError } from './read-given';

const KEY = { kid: 'key_1', x: 'A'.repeat(43), valid_from_utc: '2026-01-01T00:00:00.000Z', valid_to_utc: null };

test('the published list and one key of it are keys', () => {
  expect(keysOf(JSON.stringify({ keys: [KEY] }))).toEqual([KEY]);
  expect(keysOf(JSON.stringify(KEY))).toEqual([KEY]);
});

test('a key without its times counts as used from always', () => {
  expect(keysOf(JSON.stringify({ kid: 'key_1', x: KEY.x }))).toEqual([{ ...KEY, valid_from_utc: '1970-01-01T00:00:00.000Z' }]);
});

test.each(['', 'null', '{}', '[]', '{"kid":"key_1","x":"short"}'])('%j holds no key, and that is said', (text) => {
  expect(() => keysOf(text)).toThrow(UnreadableError);
});
