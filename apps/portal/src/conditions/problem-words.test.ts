import { GoneError, PaymentRequiredError, ProblemError, ServerError, StreamEnded, TransportError } from '@market-state/client';
import { problemWords } from './problem-words';

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

test('a refusal is said in the words of the service, with its id, and asked again only where that can help', () => {
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

test('a call that a balance or cap does not cover is told what still goes through, and when there is more', () => {
  const body = { control: 'daily_credit_cap', available: 3, needed: 40, resets_at_utc: '2026-12-01T00:00:00.000Z' };
  expect(problemWords(new PaymentRequiredError({ ...facts, status: 402, body })).advice).toBe(
    'A call of 3 credits at most goes through. It is filled again at 2026-12-01 00:00:00 UTC.',
  );
  expect(problemWords(new PaymentRequiredError({ ...facts, status: 402, body: {} })).advice).toMatch(/compact view/);
});

test('what is no longer kept says from when on there is something, where the service does', () => {
  const gone = (body: object) => problemWords(new GoneError({ ...facts, status: 410, body: { ...body } })).oldestMs;
  expect(gone({ oldest_available_utc: '2026-10-26T10:00:00.000Z' })).toBe(Date.parse('2026-10-26T10:00:00.000Z'));
  expect(gone({})).toBeNull();
});

test('the end of a stream says why it ended', () => {
  expect(problemWords(new StreamEnded('service_gone', null, new ServerError(facts))).title).toBe('Unavailable');
  expect(problemWords(new StreamEnded('credits_exhausted', null, undefined))).toMatchObject({
    detail: 'The credits that this page may spend on it are used up.',
    advice: 'Trying again may cost as much again; nothing in between is lost.',
    canRetry: true,
  });
  expect(problemWords(new StreamEnded('key_revoked', null, undefined)).canRetry).toBe(false);
});

test('a call without an answer and a fault of the page are said as what they are', () => {
  expect(problemWords(new TransportError('reset', 'req_2', 3)).title).toBe('No answer');
  expect(problemWords(new TypeError('x is undefined'))).toMatchObject({ title: 'This page failed', detail: 'x is undefined' });
});
