import { type ErrorReason, isServiceError } from '@market-state/errors';
import type { Outcome } from './breaker';
import { isToldByService } from './error-translation';

/** Reasons of an UNAVAILABLE that mean that the service is away; with any other it answered, about its load or another provider. */
const AWAY: ReadonlySet<ErrorReason> = new Set(['upstream_unavailable', 'starting', 'stopping']);

/**
 * What the failure of a call shows about the service. Only being away, late or cut off counts against it. Any answer in time, also
 * INTERNAL, is about that call alone: callers who send what a service cannot handle must not close it to all others.
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
