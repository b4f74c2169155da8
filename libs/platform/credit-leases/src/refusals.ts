import type { ServiceError } from '@market-state/errors';

/** Why a call got no credits: account refused them, one call costs more than the tenant allows, or credits cannot be counted now. */
export type RefusedReason = 'credits' | 'call_ceiling' | 'unavailable';

/** What whoever asks for credits is told when there are none: made by the process, thrown by `LeaseHolder.hold`. */
export interface Refusals<Refusal> {
  /** Account refused the credits that work needs. */
  creditsRefused(refusal: Refusal, needed: number): Error;
  /** One piece of work costs more than the tenant allows for one. */
  callTooDear(needed: number, ceiling: number): Error;
  /** Credits cannot be counted now. */
  meteringUnavailable(cause?: ServiceError): Error;
}
