import { isServiceError, type ServiceError } from '@market-state/errors';
import { InvalidRequest } from './fault-item';
import { Problem, type ProblemCode } from './problem';
import { fromUpstreamFault } from './upstream-fault';
import { toUtc } from './utc';

const TRY_AGAIN = { 'Retry-After': '1' };
const NOT_YET = { 'Retry-After': '5' };

function fromServiceError(error: ServiceError): Problem | InvalidRequest {
  const say = (code: ProblemCode, headers: Readonly<Record<string, string>> = {}, members: Readonly<Record<string, unknown>> = {}): Problem =>
    new Problem(code, error.message, { headers, members, cause: error });
  switch (error.code) {
    case 'INVALID_ARGUMENT':
      if (error.faults.length === 0) return internalProblem(error);
      return new InvalidRequest(error.faults.map(fromUpstreamFault));
    case 'NOT_FOUND':
      if (error.reason === 'unknown_symbol') return say('unknown_symbol', {}, { symbols_served: (error.metadata['symbols'] ?? '').split(',').filter(Boolean) });
      return say('not_found');
    case 'FAILED_PRECONDITION':
      if (error.reason === 'no_packet_yet') return say('no_packet_yet', NOT_YET);
      if (error.reason === 'book_not_available') return say('upstream_unavailable', NOT_YET);
      if (error.reason === 'beyond_retention') return say('beyond_retention', {}, oldestAvailable(error));
      if (error.reason === 'archive_corrupt') return internalProblem(error);
      return say('conflict');
    case 'RESOURCE_EXHAUSTED':
      return say('limit_reached', TRY_AGAIN);
    case 'UNAVAILABLE':
    case 'CANCELLED':
      return say('upstream_unavailable', TRY_AGAIN);
    case 'DEADLINE_EXCEEDED':
      return say('upstream_deadline', TRY_AGAIN);
    default:
      return internalProblem(error);
  }
}

/** The oldest instant that can be asked for, where the neighbour told it. */
function oldestAvailable({ metadata }: ServiceError): Readonly<Record<string, string>> {
  const oldestMs = Number(metadata['oldest_ms'] ?? 0);
  return oldestMs > 0 ? { oldest_available_utc: toUtc(oldestMs) } : {};
}

function internalProblem(cause: unknown): Problem {
  return new Problem('internal', 'Something went wrong on our side.', { cause });
}

/** How any thrown thing is told to the caller. What is not known becomes 500 with one general sentence. */
export function toProblem(thrown: unknown): Problem | InvalidRequest {
  if (thrown instanceof Problem || thrown instanceof InvalidRequest) return thrown;
  if (isServiceError(thrown)) return fromServiceError(thrown);
  if (thrown instanceof URIError) return new Problem('malformed_address', 'The address holds a broken percent encoding.', { cause: thrown });
  return internalProblem(thrown);
}
