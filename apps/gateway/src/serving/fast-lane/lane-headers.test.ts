import { expect, test } from 'vitest';
import { readLaneHeaders } from './lane-headers';

const KEY = ['X-Market-State-Api-Key', 'msk_one'];

test('what the lane wants is found, however its name is written, among headers of the same lengths', () => {
  const sent = ['Host', 'a', 'accept-language', 'de', 'ACCEPT-ENCODING', 'br', ...KEY, 'If-None-Match', '"x"', 'x-request-id', 'r1'];
  expect(readLaneHeaders(sent)).toEqual({ key: 'msk_one', acceptEncoding: 'br', ifNoneMatch: '"x"', requestId: 'r1' });
  expect(readLaneHeaders(KEY)).toEqual({ key: 'msk_one', acceptEncoding: undefined, ifNoneMatch: undefined, requestId: undefined });
});

test.each([
  ['has no key', ['Host', 'a', 'Accept-Encoding', 'br']],
  ['has two keys', [...KEY, 'x-market-state-api-key', 'msk_two']],
  ['names a coding twice', [...KEY, 'Accept-Encoding', 'br', 'accept-encoding', 'identity;q=0']],
  ['names an entity tag twice', [...KEY, 'If-None-Match', '"x"', 'If-None-Match', '"y"']],
  ['names an id twice', [...KEY, 'X-Request-Id', 'a', 'X-Request-Id', 'b']],
  ['has a quote', [...KEY, 'X-Quote-Id', 'q']],
  ['has a bound on its credits', [...KEY, 'x-max-credits', '1']],
])('a request that %s is left to the full route', (_what, sent) => {
  expect(readLaneHeaders(sent)).toBeNull();
});
