import { deprecationRow } from '../src/reference/operation-pages';

const SAID = { deprecated: true, 'x-deprecated-at': '2026-12-01T00:00:00Z', 'x-deprecation-link': '/docs/run/changelog' } as const;

test('the page of a deprecated operation says since when, until when it answers, and what to use; another says nothing', () => {
  expect(deprecationRow({ ...SAID, 'x-sunset': '2027-06-01T12:00:00Z' })).toEqual([
    ['Deprecated', 'since 2026-12-01; answers until 2027-06-01 at least ([what to use instead](/docs/run/changelog))'],
  ]);
  expect(deprecationRow(SAID)).toEqual([
    ['Deprecated', 'since 2026-12-01; no end is decided ([what to use instead](/docs/run/changelog))'],
  ]);
  expect(deprecationRow({})).toEqual([]);
});
