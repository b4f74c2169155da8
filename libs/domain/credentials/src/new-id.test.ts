import { isId, newId } from './new-id';

test('an id is its prefix and five bits of each random byte', () => {
  expect(newId('key', (size) => Uint8Array.from({ length: size }, (_, index) => index * 33))).toBe('key_0123456789abcdefghjkmnpqrs');
});

test.each([
  ['shr_0123456789abcdefghjkmnpqrs', true],
  ['key_0123456789abcdefghjkmnpqrs', false],
  ['shr_0123456789abcdefghjkmnpqr', false],
  ['shr_0123456789abcdefghjkmnpqrst', false],
  ['shr_0123456789abcdefghjkmnpqri', false],
  ['shr_0123456789ABCDEFGHJKMNPQRS', false],
  ['shr_0123456789abcdefghjkmnpqrs_', false],
  ['shr_', false],
  ['', false],
])('isId recognizes a share id: %j %s', (text, is) => {
  expect(isId('shr', text)).toBe(is);
});
