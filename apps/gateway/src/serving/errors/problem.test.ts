import { type ErrorReason, failedPrecondition, resourceExhausted, ServiceError } from '@market-state/errors';
import { toProblem, fromUpstreamFault } from './problem';

it.each([
  ['page_token', 'is not a token of this request', 'cursor', 'must be a next_cursor from an earlier response for the same symbol'],
  ['to_ms', 'must be after from_ms', 'to', 'must be after from'],
  ['page_size', 'must be between 1 and 1000', 'limit', 'must be between 1 and 1000'],
  ['symbol', 'must look like BTCUSD-PERP', 'symbol', 'must look like BTCUSD-PERP'],
])('reports a fault of %s (%s) by its public name', (field, message, parameter, msg) => {
  expect(fromUpstreamFault({ field, message, type: 'malformed' })).toEqual({ loc: ['query', parameter], msg, type: 'malformed' });
});

it.each<[ErrorReason, number, string]>([
  ['archive_corrupt', 500, 'internal'],
  ['beyond_retention', 410, 'beyond_retention'],
  ['book_not_available', 503, 'upstream_unavailable'],
  ['no_packet_yet', 503, 'no_packet_yet'],
  ['log_incomplete', 409, 'conflict'],
])('reports the precondition %s as %i %s', (reason, status, code) => {
  expect(toProblem(failedPrecondition(reason, 'It is not so.'))).toMatchObject({ status, code });
});

it('reports a message that was too large as our fault, not as a limit of the caller', () => {
  expect(toProblem(resourceExhausted('message_too_large', 'A message was larger than the limit.'))).toMatchObject({
    status: 500,
    code: 'internal',
  });
});

it('reports a full password queue as 503 with the expected wait', () => {
  const full = resourceExhausted('password_work_full', 'Too many passwords are being checked.', { metadata: { retry_after_s: '3' } });
  expect(toProblem(full)).toMatchObject({ status: 503, code: 'upstream_unavailable', headers: { 'Retry-After': '3' } });
});

it('reports exhausted trials as 429 with the time until the next', () => {
  const spent = resourceExhausted('too_many_trials', 'No more trials can be opened just now.', { metadata: { retry_after_s: '86400' } });
  expect(toProblem(spent)).toMatchObject({ status: 429, code: 'too_many_attempts', headers: { 'Retry-After': '86400' } });
});

it.each([
  ['UNAUTHENTICATED', 'caller_not_proved'],
  ['PERMISSION_DENIED', 'caller_not_allowed'],
] as const)('reports a gateway refused as %s as 503, never as an invalid credential of the caller', (code, reason) => {
  const problem = toProblem(new ServiceError({ code, reason, sentence: 'gateway may not call this method.' }));
  expect(problem).toMatchObject({ status: 503, code: 'upstream_unavailable', headers: { 'Retry-After': '1' } });
  expect(problem.message).not.toContain('gateway');
  expect(toProblem(new ServiceError({ code: 'UNAUTHENTICATED', reason: 'unauthenticated', sentence: 'No.' }))).toMatchObject({
    status: 401,
    code: 'unauthenticated',
  });
});
