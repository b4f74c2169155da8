import { snippetsFor } from './snippets';

test("a key's snippets match its scopes", () => {
  const names = (scopes: readonly ('read' | 'export' | 'automation' | 'account')[]) =>
    snippetsFor('https://api.example.com', { scopes }).map(({ name }) => name);
  expect(names(['read'])).toEqual(['curl', 'TypeScript']);
  expect(names(['read', 'automation'])).toEqual(['curl', 'TypeScript', 'CLI']);
  expect(names(['account'])).toEqual([]);
});
