import type { Schemas } from '@market-state/client';
import fc from 'fast-check';
import { openSession, startRun } from './session';
import { answerOf, fit, type Reported, sizeOf } from './findings';

const run = () =>
  startRun(
    openSession({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', allowExports: false, requestId: () => 'r1' }),
    new AbortController().signal,
  );

function reported(freshness: string, state = 'pressure_building'): Reported & { readonly state: string } {
  const response_semantics = {
    response_state: 'live',
    freshness_state: freshness,
    availability_state: 'available',
    stale: freshness === 'stale',
  };
  return { state, meta: { claim_boundary: 'not_signal', response_semantics } as unknown as Schemas['Meta'] };
}

const answer = (...of: readonly [Reported, ...Reported[]]) =>
  answerOf(run(), { of, asOfUtc: '2026-01-01T00:00:00.000Z', gapFlags: ['book_gap', 'book_gap'], fields: {}, lists: [] }, 'concise');

test('every answer says until when it is known, of what kind it is, which gaps it has and what it cost', () => {
  expect(answer(reported('fresh'))).toEqual({
    as_of_utc: '2026-01-01T00:00:00.000Z',
    response_state: 'live',
    fail_closed: false,
    gap_flags: ['book_gap'],
    claim_boundary: 'not_signal',
    cost: { charged: 0, ceiling_left: null, receipt_id: null },
    request_id: 'r1',
  });
});

test.each([
  ['stale data', [reported('stale')]],
  ['data that is missing', [reported('missing')]],
  ['too little evidence', [reported('fresh', 'insufficient_evidence')]],
  ['one stale answer among several', [reported('fresh'), reported('stale')]],
] as const)('%s fails closed', (_what, of) => {
  expect(answer(...(of as unknown as readonly [Reported, ...Reported[]]))['fail_closed']).toBe(true);
});

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
