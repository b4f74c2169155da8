import { entityTag, namesTag, tagOf } from './entity-tag';

const tag = tagOf(Buffer.from('body'));

it('gives each coding of a body its own strong tag', () => {
  expect(entityTag(tag, 'identity')).toBe(`"${tag}"`);
  expect(entityTag(tag, 'br')).toBe(`"${tag}-br"`);
});

it.each([
  [`"${tag}"`, true],
  [`W/"${tag}-gzip"`, true],
  [`"other", "${tag}-br"`, true],
  ['*', true],
  ['"other"', false],
  [tag, false],
  ['', false],
  [undefined, false],
])('reads If-None-Match %j', (header, named) => {
  expect(namesTag(header, tag)).toBe(named);
});
