import type { SendResult } from '@market-state/guarded-http';
import type { Refusal } from '../destinations/destination-api';
import type { ClaimedDelivery } from '../store/deliveries';
import type { LockedQueue } from '../store/endpoint-queues';

/**
 * With an own fault nothing was sent and the endpoint is not to blame. A mail server answers with `mail_refused`
 * (permanent) or `mail_deferred`.
 */
export interface AttemptResult extends Omit<SendResult, 'class'>, Partial<Refusal> {
  readonly class: SendResult['class'] | OwnFault | 'mail_refused' | 'mail_deferred';
}

/**
 * Body past its retention; no secret can be opened; no mail server, or it is unavailable; too many mails.
 */
const OWN_FAULTS = ['body_gone', 'secret_unreadable', 'mail_unavailable', 'mail_limit'] as const;
type OwnFault = (typeof OWN_FAULTS)[number];

export function isOwnFault(outcome: AttemptResult['class']): outcome is OwnFault {
  return (OWN_FAULTS as readonly string[]).includes(outcome);
}

/** Status by which a receiver unsubscribes. */
export const GONE = 410;

export function isOk({ class: outcome }: AttemptResult): boolean {
  return outcome === 'ok';
}

export function notSent(fault: OwnFault): AttemptResult {
  return { class: fault, durationMs: 0, snippet: '', testTarget: false };
}

export interface Ended {
  readonly queue: LockedQueue;
  readonly delivery: ClaimedDelivery;
  readonly passes: number;
  /** Assigned before the write, so that a repeated write stores the same receipt. */
  readonly attemptId: string;
  readonly startedMs: number;
  readonly result: AttemptResult;
}
