import { type ErrorReason, failedPrecondition, resourceExhausted } from '@market-state/errors';
import { toProblem } from './to-problem';

it.each<[ErrorReason, number, string]>([
  ['archive_corrupt', 500, 'internal'],
  ['beyond_retention', 410, 'beyond_retention'],
  ['book_not_available', 503, 'upstream_unavailable'],
  ['no_packet_yet', 503, 'no_packet_yet'],
  ['log_incomplete', 409, 'conflict'],
])('tells the precondition %s as %i %s', (reason, status, code) => {
  expect(toProblem(failedPrecondition(reason, 'It is not so.'))).toMatchObject({ status, code });
});

it('tells a message that was too large as a fault of ours, not as a limit of the caller', () => {
  expect(toProblem(resourceExhausted('message_too_large', 'A message was larger than the limit.'))).toMatchObject({ status: 500, code: 'internal' });
});
