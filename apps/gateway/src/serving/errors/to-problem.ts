import { isServiceError, type ServiceError } from '@market-state/errors';
import { InvalidRequest } from './fault-item';
import { Problem, type ProblemCode, unauthenticated } from './problem';
import { fromUpstreamFault, tooLarge } from './upstream-fault';
import { toUtc } from '../meta/utc';

const TRY_AGAIN = { 'Retry-After': '1' };
const NOT_YET = { 'Retry-After': '5' };

/** Refusals that say the same for every cause: code of the answer, and its one sentence. */
const REFUSALS: Readonly<Partial<Record<string, readonly [ProblemCode, string]>>> = {
  claim_refused: [
    'claim_refused',
    'The key, the claim token or the email cannot be used to claim an account. If you have one already, log in or choose a new password.',
  ],
  login_refused: ['login_refused', 'Wrong email or password.'],
  reset_refused: ['reset_refused', 'The reset token cannot be used.'],
  billing_signature_refused: ['billing_signature_refused', 'The event is not signed as it should be.'],
};

/** Limits of which waiting does not help: another state does. */
const STATE_LIMITS: ReadonlySet<string> = new Set(['too_many_keys']);

/** Attempts that are throttled, and tried again later. */
const THROTTLES: ReadonlySet<string> = new Set(['too_many_attempts', 'too_many_sandbox_keys', 'too_many_trials']);

/** States of an export job, or of what is recorded, that do not allow a call. */
const JOB_STATES: ReadonlyMap<string, ProblemCode> = new Map([
  ['job_not_ready', 'job_not_ready'],
  ['job_failed', 'job_failed'],
  ['job_cancelled', 'job_cancelled'],
  ['job_expired', 'job_expired'],
  ['nothing_recorded', 'nothing_recorded'],
]);

/** A service does not take this gateway for one of ours: the fault is not the caller's. */
const NOT_OURS: ReadonlySet<string> = new Set(['caller_not_proved', 'caller_not_allowed']);

function cannotBeReached(cause: ServiceError): Problem {
  return new Problem('upstream_unavailable', 'A service needed for this answer cannot be reached.', { headers: TRY_AGAIN, cause });
}

function refusal(error: ServiceError): Problem {
  const [code, sentence] = REFUSALS[error.reason] ?? ['internal', 'An internal error occurred.'];
  return new Problem(code, sentence, {
    headers: code === 'internal' ? {} : { 'WWW-Authenticate': 'MarketStateAccountSession realm="market-state"' },
    cause: error,
  });
}

/** Whole seconds, 1 or more. */
function retryAfter({ metadata }: ServiceError, unknown: number): Readonly<Record<string, string>> {
  const seconds = Math.ceil(Number(metadata['retry_after_s'] ?? unknown));
  return { 'Retry-After': String(Number.isFinite(seconds) ? Math.max(1, seconds) : unknown) };
}

function fromServiceError(error: ServiceError): Problem | InvalidRequest {
  const say = (
    code: ProblemCode,
    headers: Readonly<Record<string, string>> = {},
    members: Readonly<Record<string, unknown>> = {},
  ): Problem => new Problem(code, error.message, { headers, members, cause: error });
  switch (error.code) {
    case 'INVALID_ARGUMENT':
      if (error.faults.length === 0) return internalProblem(error);
      return new InvalidRequest(error.faults.map(fromUpstreamFault));
    case 'NOT_FOUND':
      if (error.reason === 'unknown_symbol')
        return say('unknown_symbol', {}, { symbols_served: (error.metadata['symbols'] ?? '').split(',').filter(Boolean) });
      return say('not_found');
    case 'FAILED_PRECONDITION':
      if (error.reason === 'no_packet_yet') return say('no_packet_yet', NOT_YET);
      if (error.reason === 'book_not_available') return say('upstream_unavailable', NOT_YET);
      if (error.reason === 'beyond_retention') return say('beyond_retention', {}, oldestAvailable(error));
      if (error.reason === 'live_sharing_off') return say('live_sharing_off');
      if (error.reason === 'packet_too_young')
        return say('packet_too_young', {}, { shareable_from_utc: toUtc(Number(error.metadata['shareable_ms'])) });
      if (error.reason === 'archive_corrupt') return internalProblem(error);
      if (error.reason === 'result_too_large') return new InvalidRequest([tooLarge(error, ['body'])]);
      return say(JOB_STATES.get(error.reason) ?? 'conflict');
    case 'PERMISSION_DENIED':
      return NOT_OURS.has(error.reason) ? cannotBeReached(error) : internalProblem(error);
    case 'UNAUTHENTICATED':
      if (NOT_OURS.has(error.reason)) return cannotBeReached(error);
      return error.reason === 'unauthenticated' ? unauthenticated() : refusal(error);
    case 'RESOURCE_EXHAUSTED':
      if (STATE_LIMITS.has(error.reason)) return say('conflict');
      if (error.reason === 'too_many_watchlists') return say('too_many_watchlists', {}, { limit: Number(error.metadata['limit']) });
      if (error.reason === 'too_many_saved_searches') return say('too_many_saved_searches', {}, { limit: Number(error.metadata['limit']) });
      if (error.reason === 'too_many_shares') return say('too_many_shares', {}, { limit: Number(error.metadata['limit']) });
      if (error.reason === 'too_many_endpoints') return say('too_many_endpoints', {}, { limit: Number(error.metadata['limit']) });
      if (error.reason === 'password_work_full') return say('upstream_unavailable', retryAfter(error, 1));
      if (error.reason === 'message_too_large') return internalProblem(error);
      if (THROTTLES.has(error.reason)) return say('too_many_attempts', retryAfter(error, 60));
      if (error.reason === 'too_many_calls_at_once') return say('too_many_calls_at_once', TRY_AGAIN);
      if (error.reason === 'too_many_jobs') return say('too_many_jobs', retryAfter(error, 60));
      if (error.reason === 'too_many_downloads') return say('too_many_downloads', retryAfter(error, 5));
      return say('limit_reached', TRY_AGAIN);
    case 'UNAVAILABLE':
      return say(error.reason === 'billing_provider_unavailable' ? 'billing_provider_unavailable' : 'upstream_unavailable', TRY_AGAIN);
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
  return new Problem('internal', 'An internal error occurred.', { cause });
}

/** How any thrown thing is told to the caller. What is not known becomes 500 with one general sentence. */
export function toProblem(thrown: unknown): Problem | InvalidRequest {
  if (thrown instanceof Problem || thrown instanceof InvalidRequest) return thrown;
  if (isServiceError(thrown)) return fromServiceError(thrown);
  if (thrown instanceof URIError) return new Problem('malformed_address', 'The path has an invalid percent encoding.', { cause: thrown });
  return internalProblem(thrown);
}
