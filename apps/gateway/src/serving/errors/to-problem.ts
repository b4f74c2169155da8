import { ERROR_REASONS, isServiceError, type ProblemCode, type ServiceError } from '@market-state/errors';
import { toUtc } from '../meta/utc';
import { InvalidRequest } from './fault-item';
import { Problem, unauthenticated } from './problem';
import { fromUpstreamFault, tooLarge } from './upstream-fault';

/** Public error of each gRPC code, for reasons that have none of their own in the catalogue. */
const BY_GRPC_CODE: Readonly<Partial<Record<ServiceError['code'], ProblemCode>>> = {
  NOT_FOUND: 'not_found',
  FAILED_PRECONDITION: 'conflict',
  RESOURCE_EXHAUSTED: 'limit_reached',
  UNAVAILABLE: 'upstream_unavailable',
  CANCELLED: 'upstream_unavailable',
  DEADLINE_EXCEEDED: 'upstream_deadline',
};

/** Sentences that replace the service's own, so that each cause reads the same. */
const SENTENCES: Readonly<Partial<Record<ProblemCode, string>>> = {
  internal: 'An internal error occurred.',
  claim_refused:
    'The key, the claim token or the email cannot be used to claim an account. If you have one already, log in or choose a new password.',
  login_refused: 'Wrong email or password.',
  reset_refused: 'The reset token cannot be used.',
  billing_signature_refused: 'The event is not signed as it should be.',
};

/** Seconds in `Retry-After` when the service names none. */
const RETRY_AFTER_S: Readonly<Partial<Record<ProblemCode, number>>> = {
  no_packet_yet: 5,
  upstream_unavailable: 1,
  upstream_deadline: 1,
  billing_provider_unavailable: 1,
  limit_reached: 1,
  too_many_calls_at_once: 1,
  too_many_attempts: 60,
  too_many_jobs: 60,
  too_many_downloads: 5,
};

/** A market that has no book yet gets one later than a service that is away comes back, seconds. */
const BOOK_AFTER_S = 5;

/** A service does not accept this gateway as one of ours: the caller is not at fault, and learns nothing of it. */
const NOT_OURS: ReadonlySet<string> = new Set(['caller_not_proved', 'caller_not_allowed']);

function headersOf(code: ProblemCode, { reason, metadata, code: grpcCode }: ServiceError): Readonly<Record<string, string>> {
  if (grpcCode === 'UNAUTHENTICATED' && code !== 'internal' && !NOT_OURS.has(reason))
    return { 'WWW-Authenticate': 'MarketStateAccountSession realm="market-state"' };
  const usualS = reason === 'book_not_available' ? BOOK_AFTER_S : RETRY_AFTER_S[code];
  if (usualS === undefined) return {};
  const seconds = Math.ceil(Number(metadata['retry_after_s'] ?? usualS));
  return { 'Retry-After': String(Number.isFinite(seconds) ? Math.max(1, seconds) : usualS) };
}

/** Further members of the error object. */
function membersOf(code: ProblemCode, { metadata }: ServiceError): Readonly<Record<string, unknown>> {
  switch (code) {
    case 'unknown_symbol':
      return { symbols_served: (metadata['symbols'] ?? '').split(',').filter(Boolean) };
    case 'beyond_retention': {
      const oldestMs = Number(metadata['oldest_ms'] ?? 0);
      return oldestMs > 0 ? { oldest_available_utc: toUtc(oldestMs) } : {};
    }
    case 'packet_too_young':
      return { shareable_from_utc: toUtc(Number(metadata['shareable_ms'])) };
    case 'too_many_watchlists':
    case 'too_many_saved_searches':
    case 'too_many_shares':
    case 'too_many_endpoints':
      return { limit: Number(metadata['limit']) };
    default:
      return {};
  }
}

function sentenceOf(code: ProblemCode, { reason, message }: ServiceError): string {
  if (NOT_OURS.has(reason)) return 'A service needed for this answer cannot be reached.';
  return SENTENCES[code] ?? message;
}

function fromServiceError(error: ServiceError): Problem | InvalidRequest {
  if (error.reason === 'unauthenticated') return unauthenticated();
  if (error.reason === 'result_too_large') return new InvalidRequest([tooLarge(error, ['body'])]);
  if (error.code === 'INVALID_ARGUMENT' && error.faults.length > 0) return new InvalidRequest(error.faults.map(fromUpstreamFault));
  const code = ERROR_REASONS[error.reason] ?? BY_GRPC_CODE[error.code] ?? 'internal';
  return new Problem(code, sentenceOf(code, error), { headers: headersOf(code, error), members: membersOf(code, error), cause: error });
}

/** Converts anything thrown to the error that the caller gets. What is not known becomes 500 with one general sentence. */
export function toProblem(thrown: unknown): Problem | InvalidRequest {
  if (thrown instanceof Problem || thrown instanceof InvalidRequest) return thrown;
  if (isServiceError(thrown)) return fromServiceError(thrown);
  if (thrown instanceof URIError) return new Problem('malformed_address', 'The path has an invalid percent encoding.', { cause: thrown });
  return new Problem('internal', 'An internal error occurred.', { cause: thrown });
}
