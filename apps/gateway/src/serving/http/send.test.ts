import { tagOf } from './representation';
import { chooseEncoding, entityTag, namesTag } from './send';

it.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate, gzip;q=1.0, *;q=0.5', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['zstd;q=0, br', 'br'],
  ['ZSTD', 'zstd'],
  ['br;q=0.2, gzip;q=0.3', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=x', 'identity'],
] as const)('answers Accept-Encoding %j in %s', (header, encoding) => {
  expect(chooseEncoding(header, 1_024)).toBe(encoding);
});

const tag = tagOf(Buffer.from('body'));

it('gives each coding of a body its own strong tag', () => {
  expect(entityTag(tag, 'identity')).toBe(`"${tag}"`);
  expect(entityTag(tag, 'br')).toBe(`"${tag}-br"`);
});

it.each([
  [`"${tag}"`, true],
  [`W/"${tag}-gzip"`, true],
  [`"other", "${tag}-br"`, true],
  [`"${tag}-zstd"`, true],
  ['*', true],
  ['"other"', false],
  [tag, false],
  ['', false],
  [undefined, false],
])('reads If-None-Match %j', (header, named) => {
  expect(namesTag(header, tag)).toBe(named);
});
