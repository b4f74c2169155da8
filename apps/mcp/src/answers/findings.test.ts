import type { Schemas } from '@market-state/client';
import { startRun, openSession } from '../session';
import { answerOf, type Reported } from './findings';

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
