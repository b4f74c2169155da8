import { GoneError, PaymentRequiredError, ProblemError, ServerError, StreamEnded, TransportError } from '@market-state/client';
import { problemWords } from './error-messages';

const facts = {
  status: 503,
  code: 'upstream_down',
  title: 'Unavailable',
  detail: 'Packets cannot be read now.',
  requestId: 'req_1',
  docs: '/docs',
  retryAfterMs: 2_000,
  body: {},
  attempts: 3,
};

test('a refusal shows the words of the service and the request id, and offers a retry only where it can help', () => {
  expect(problemWords(new ServerError(facts))).toEqual({
    title: 'Unavailable',
    detail: 'Packets cannot be read now.',
    advice: '',
    canRetry: true,
    waitMs: 2_000,
    requestId: 'req_1',
    oldestMs: null,
  });
  expect(problemWords(new ProblemError({ ...facts, status: 422 })).canRetry).toBe(false);
});

test('a call over a balance or cap shows what is still possible and when it resets', () => {
  const body = { control: 'daily_credit_cap', available: 3, needed: 40, resets_at_utc: '2026-12-01T00:00:00.000Z' };
  expect(problemWords(new PaymentRequiredError({ ...facts, status: 402, body })).advice).toBe(
    'You can still make calls of up to 3 credits. Your balance resets at 2026-12-01 00:00:00 UTC.',
  );
  expect(problemWords(new PaymentRequiredError({ ...facts, status: 402, body: {} })).advice).toMatch(/compact view/);
});

test('data past retention shows the oldest available time, if the service reports it', () => {
  const gone = (body: object) => problemWords(new GoneError({ ...facts, status: 410, body: { ...body } })).oldestMs;
  expect(gone({ oldest_available_utc: '2026-10-26T10:00:00.000Z' })).toBe(Date.parse('2026-10-26T10:00:00.000Z'));
  expect(gone({})).toBeNull();
});

test('the end of a stream shows the reason', () => {
  expect(problemWords(new StreamEnded('service_gone', null, new ServerError(facts))).title).toBe('Unavailable');
  expect(problemWords(new StreamEnded('credits_exhausted', null, undefined))).toMatchObject({
    detail: 'The credit limit of this page for the stream is used up.',
    advice: 'Retrying may cost the same again; no data in between is lost.',
    canRetry: true,
  });
  expect(problemWords(new StreamEnded('key_revoked', null, undefined)).canRetry).toBe(false);
});

test('a call without a response and a fault of the page are distinguished', () => {
  expect(problemWords(new TransportError('reset', 'req_2', 3)).title).toBe('No response');
  expect(problemWords(new TypeError('x is undefined'))).toMatchObject({ title: 'This page failed', detail: 'x is undefined' });
});
