import { type ErrorReason, isServiceError } from '@market-state/errors';
import type { Outcome } from './breaker';
import { isToldByService } from './error-translation';

/** Reasons of an UNAVAILABLE that say that the service is away; with any other it answered, of its load or of another provider. */
const AWAY: ReadonlySet<ErrorReason> = new Set(['upstream_unavailable', 'starting', 'stopping']);

/**
 * What the failure of a call says of the service: only that it is away, late or broken counts against it, and no answer about the call
 * itself. One that says in time that what was asked for takes too long has answered.
 */
export function outcomeOf(error: unknown): Outcome {
  if (!isServiceError(error)) return 'failed';
  switch (error.code) {
    case 'CANCELLED':
      return 'given_up';
    case 'UNAVAILABLE':
      return AWAY.has(error.reason) ? 'failed' : 'answered';
    case 'DEADLINE_EXCEEDED':
      // Without a cause the caller's own time was up before anything was sent.
      if (error.cause === undefined) return 'given_up';
      return error.reason === 'upstream_deadline' && isToldByService(error) ? 'answered' : 'failed';
    case 'INTERNAL':
    case 'UNKNOWN':
      return 'failed';
    default:
      return 'answered';
  }
}
