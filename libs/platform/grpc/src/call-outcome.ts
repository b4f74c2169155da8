import { type ErrorReason, isServiceError } from '@market-state/errors';
import type { Outcome } from './breaker';
import { isToldByService } from './error-translation';

/** Reasons of an UNAVAILABLE that mean that the service is away; with any other it answered, about its load or another provider. */
const AWAY: ReadonlySet<ErrorReason> = new Set(['upstream_unavailable', 'starting', 'stopping']);

/**
 * Classifies a failed call for the breaker. Only an unreachable, late or disconnected service counts as failed. Any answer in time,
 * including INTERNAL, concerns that call only: a caller with input that a service cannot handle must not block all others.
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
      return isToldByService(error) ? 'answered' : 'failed';
    default:
      return 'answered';
  }
}
