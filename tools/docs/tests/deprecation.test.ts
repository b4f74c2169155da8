import { deprecationRow } from '../src/reference/operation-pages';

const SAID = { deprecated: true, 'x-deprecated-at': '2026-12-01T00:00:00Z', 'x-deprecation-link': '/docs/run/changelog' } as const;

test('the page of a deprecated operation states the date, its minimum availability and its replacement; other pages do not', () => {
  expect(deprecationRow({ ...SAID, 'x-sunset': '2027-06-01T12:00:00Z' })).toEqual([
    ['Deprecated', 'since 2026-12-01; available until at least 2027-06-01 ([what to use instead](/docs/run/changelog))'],
  ]);
  expect(deprecationRow(SAID)).toEqual([
    ['Deprecated', 'since 2026-12-01; no removal date is set ([what to use instead](/docs/run/changelog))'],
  ]);
  expect(deprecationRow({})).toEqual([]);
});
