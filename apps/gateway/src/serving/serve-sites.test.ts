import { toPathPattern } from './serve-sites';

it.each([
  ['/', '/', true],
  ['/', '/live', false],
  ['/', '//', false],
  ['/live', '/live', true],
  ['/live', '/live/', false],
  ['/live', '/Live', false],
  ['/live', '/live/x', false],
  ['/live/:symbol', '/live/BTCUSD-PERP', true],
  ['/live/:symbol', '/live/', false],
  ['/live/:symbol', '/live/a/b', false],
  ['/live/:symbol', `/live/${'a'.repeat(129)}`, false],
  ['/live/:symbol', '/live', false],
])('the pattern %s and the path %s: %s', (pattern, path, matches) => {
  expect(toPathPattern(pattern)(path)).toBe(matches);
});
