import { PAGES, type Page } from './pages';

test('no two pages have the same letter or address', () => {
  const pages: readonly Page[] = Object.values(PAGES);
  const letters = pages.flatMap(({ key }) => key ?? []);
  expect(new Set(letters).size).toBe(letters.length);
  expect(new Set(pages.map(({ pattern }) => pattern)).size).toBe(pages.length);
});
