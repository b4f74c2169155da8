import { bodyShape } from './request-shape';

const LIMIT = {
  valueTotal: expect.any(Number),
  isBounded: false,
  faults: [{ loc: ['body'], msg: 'has more than 1000 values (fields and list items together)', type: 'too_many_values' }],
};

/** Proxy of a value that counts reads of its members, at any depth. */
function counted(value: object): { readonly watched: unknown; reads(): number } {
  let reads = 0;
  const watch = (inner: unknown): unknown =>
    typeof inner !== 'object' || inner === null
      ? inner
      : new Proxy(inner, {
          get(target, key, receiver) {
            if (typeof key === 'string' && Object.hasOwn(target, key) && key !== 'length') reads += 1;
            return watch(Reflect.get(target, key, receiver));
          },
        });
  return { watched: watch(value), reads: () => reads };
}

const list = (length: number): number[] => Array.from({ length }, () => 1);
const fields = (length: number): Record<string, number> => Object.fromEntries(Array.from({ length }, (_item, index) => [`k${index}`, 1]));

it.each([
  ['list items', list(1_000)],
  ['fields', fields(1_000)],
  ['both', { list: list(498), inner: fields(498), a: 1, b: 2 }],
  ['lists in lists', Array.from({ length: 10 }, () => list(99))],
  ['nothing', undefined],
  ['null', null],
  ['text', 'x'],
])('takes 1,000 values: %s', (_name, body) => {
  expect(bodyShape(body)).toMatchObject({ isBounded: true, faults: [] });
});

it.each([
  ['list items', list(1_001)],
  ['fields', fields(1_001)],
  ['both', { list: list(498), inner: fields(498), a: 1, b: 2, c: 3 }],
  ['lists in lists', Array.from({ length: 10 }, () => list(100))],
  ['many faults before the limit', [...Array.from({ length: 900 }, () => '\ud83d'), list(200)]],
])('refuses one more by one fault: %s', (_name, body) => {
  expect(bodyShape(body)).toEqual(LIMIT);
});

it.each([
  ['a list of 21,000 items', list(21_000)],
  ['21,000 items in a field', { name: 'n', scopes: list(21_000) }],
  ['6,000 fields', fields(6_000)],
  ['21,000 lists', Array.from({ length: 21_000 }, () => [])],
  ['150 lists of 150 items', Array.from({ length: 150 }, () => list(150))],
])('reads no more of %s than the limit allows', (_name, body) => {
  const { watched, reads } = counted(body);
  expect(bodyShape(watched)).toEqual(LIMIT);
  expect(reads()).toBeLessThanOrEqual(1_000);
});

it('takes 32 levels and refuses one more by one fault', () => {
  const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) });
  expect(bodyShape(nested(31))).toMatchObject({ isBounded: true, faults: [] });
  expect(bodyShape(nested(32))).toMatchObject({
    isBounded: false,
    faults: [{ loc: ['body', ...list(32).map(() => 'a')], msg: 'is nested deeper than 32 levels', type: 'too_deep' }],
  });
  expect(bodyShape(JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).faults).toHaveLength(1);
});
