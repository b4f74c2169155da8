import fc from 'fast-check';
import { jsonDifferences } from './compare-packets';

function list(left: unknown, right: unknown) {
  return [...jsonDifferences(left, right)];
}

test('each place that differs is reported by its pointer, with both values', () => {
  const left = { a: { b: [1, 2, { c: 'x' }] }, gone: true, 'odd/na~me': 1, same: [null] };
  const right = { a: { b: [1, 3, { c: 'y' }, 4] }, 'odd/na~me': 2, same: [null], come: null };
  expect(list(left, right)).toEqual([
    { path: '/a/b/1', left: 2, right: 3 },
    { path: '/a/b/2/c', left: 'x', right: 'y' },
    { path: '/a/b/3', left: undefined, right: 4 },
    { path: '/come', left: undefined, right: null },
    { path: '/gone', left: true, right: undefined },
    { path: '/odd~1na~0me', left: 1, right: 2 },
  ]);
});

test('a list is not an object with numbered members, and a value is not a branch', () => {
  expect(list([1], { 0: 1 })).toEqual([{ path: '', left: [1], right: { 0: 1 } }]);
  expect(list({ a: 1 }, null)).toEqual([{ path: '', left: { a: 1 }, right: null }]);
});

test('a value does not differ from itself, and differences are the same seen from the other side', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      const read = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      expect(list(read(left), read(left))).toEqual([]);
      const mirrored = list(read(right), read(left)).map((difference) => ({
        path: difference.path,
        left: difference.right,
        right: difference.left,
      }));
      expect(list(read(left), read(right))).toEqual(mirrored);
    }),
    { numRuns: 1_000 },
  );
});
