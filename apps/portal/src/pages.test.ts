import { PAGES, type Page, afterLogin, loginAddress, providerAnswer } from './pages';

test('a login returns to the requested page and never to another site', () => {
  expect(afterLogin(loginAddress('/packet/evt_1?diff=evt_0').slice('/login'.length))).toBe('/packet/evt_1?diff=evt_0');
  for (const elsewhere of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', ''])
    expect(afterLogin(`?next=${encodeURIComponent(elsewhere)}`)).toBe('/live');
});

test('only the address to which the login provider returns the browser has its answer', () => {
  expect(providerAnswer('?code=a%2Bb&state=c&iss=https%3A%2F%2Flogin.example')).toBe('code=a%2Bb&state=c&iss=https%3A%2F%2Flogin.example');
  expect(providerAnswer('?error=access_denied&state=c')).toBe('error=access_denied&state=c');
  for (const search of ['', '?next=%2Falerts', '?code=a']) expect(providerAnswer(search)).toBeNull();
});

test('no two pages have the same letter or address', () => {
  const pages: readonly Page[] = Object.values(PAGES);
  const letters = pages.flatMap(({ key }) => key ?? []);
  expect(new Set(letters).size).toBe(letters.length);
  expect(new Set(pages.map(({ pattern }) => pattern)).size).toBe(pages.length);
});
