import { PAGES, type Page, afterLogin, loginAddress } from './pages';

test('a login returns to the requested page and never to another site', () => {
  expect(afterLogin(loginAddress('/packet/evt_1?diff=evt_0').slice('/login'.length))).toBe('/packet/evt_1?diff=evt_0');
  for (const elsewhere of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', ''])
    expect(afterLogin(`?next=${encodeURIComponent(elsewhere)}`)).toBe('/live');
});

test('no two pages have the same letter or address', () => {
  const pages: readonly Page[] = Object.values(PAGES);
  const letters = pages.flatMap(({ key }) => key ?? []);
  expect(new Set(letters).size).toBe(letters.length);
  expect(new Set(pages.map(({ pattern }) => pattern)).size).toBe(pages.length);
});
