import fc from 'fast-check';
import { sizeOf, fit } from './fit';

const rest = (given: Readonly<Record<string, number>>) => ({ tool: 'more', arguments: { ...given } });

test('an answer that fits is left as it is', () => {
  const fields = { a: 1, rows: [1, 2, 3] };
  expect(fit({ fields, lists: ['rows'], rest }, 100)).toEqual(fields);
});

test('the least important list loses its end first, counted, and the call that goes on is named', () => {
  const fields = { keep: ['x'.repeat(30)], rows: Array.from({ length: 50 }, (_, at) => `row ${at}`) };
  const answer = fit({ fields, lists: ['rows', 'keep'], rest }, 300);
  const rows = answer['rows'] as readonly string[];
  expect(answer).toMatchObject({ keep: fields.keep, truncated: true, omitted: { rows: 50 - rows.length }, next: { tool: 'more' } });
  expect(rows).toEqual(fields.rows.slice(0, rows.length));
  expect(rows.length).toBeGreaterThan(10);
});

test('for any lists, an answer stays within its bound and counts every omitted item', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 }), { maxLength: 200 }), fc.array(fc.nat(), { maxLength: 200 }), (a, b) => {
      const answer = fit({ fields: { head: 'h', a, b }, lists: ['a', 'b'], rest }, 400);
      const omitted = (answer['omitted'] ?? {}) as Readonly<Record<string, number>>;
      expect(sizeOf(answer)).toBeLessThanOrEqual(400);
      for (const [name, all] of Object.entries({ a, b }))
        expect((answer[name] as readonly unknown[]).length + (omitted[name] ?? 0)).toBe(all.length);
      expect('truncated' in answer).toBe(Object.keys(omitted).length > 0);
    }),
  );
});

test('what does not fit without any item is an error, not a cut sentence', () => {
  expect(() => fit({ fields: { text: 'x'.repeat(500), rows: [1] }, lists: ['rows'] }, 100)).toThrow(RangeError);
});
