import type { SendResult } from '@market-state/guarded-http';
import type { ClaimedDelivery } from '../store/deliveries';
import type { LockedQueue } from '../store/endpoint-queues';

/**
 * With `body_gone` (body past its retention) and `secret_unreadable` (no signing secret can be opened), nothing was
 * sent and the endpoint is not to blame.
 */
export interface AttemptResult extends Omit<SendResult, 'class'> {
  readonly class: SendResult['class'] | OwnFault;
}

type OwnFault = 'body_gone' | 'secret_unreadable';

export function isOwnFault(outcome: AttemptResult['class']): outcome is OwnFault {
  return outcome === 'body_gone' || outcome === 'secret_unreadable';
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
