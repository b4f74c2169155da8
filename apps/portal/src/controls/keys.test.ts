import { actionOf } from './keys';

test('a letter opens a page only right after g, and / and ? work anywhere', () => {
  expect(actionOf('l', true)).toEqual({ open: '/live' });
  expect(actionOf('l', false)).toBeNull();
  expect([actionOf('/', false), actionOf('?', true), actionOf('g', false), actionOf('x', true)]).toEqual(['palette', 'help', 'g', null]);
});
