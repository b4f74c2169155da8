import { snippetsFor } from './snippets';

test('a key has the first calls that its scopes allow', () => {
  const names = (scopes: readonly ('read' | 'export' | 'automation' | 'account')[]) =>
    snippetsFor('https://api.example.com', { scopes }).map(({ name }) => name);
  expect(names(['read'])).toEqual(['curl', 'TypeScript']);
  expect(names(['read', 'automation'])).toEqual(['curl', 'TypeScript', 'CLI']);
  expect(names(['account'])).toEqual([]);
});
