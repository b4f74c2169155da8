import { chooseEncoding } from './encoding';

it.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate, gzip;q=1.0, *;q=0.5', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.2, gzip;q=0.3', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=x', 'identity'],
] as const)('answers Accept-Encoding %j in %s', (header, encoding) => {
  expect(chooseEncoding(header, 1_024)).toBe(encoding);
});
