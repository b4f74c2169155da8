import type { SendResult } from '@market-state/guarded-http';
import type { ClaimedDelivery } from '../store/deliveries';
import type { LockedLane } from '../store/lanes';

/**
 * What came of an attempt. Nothing was sent, and the endpoint is not to blame, with `body_gone` (the message is older than bodies are kept)
 * and `secret_unreadable` (no signing secret could be opened).
 */
export interface AttemptResult extends Omit<SendResult, 'class'> {
  readonly class: SendResult['class'] | OwnFault;
}

type OwnFault = 'body_gone' | 'secret_unreadable';

export function isOwnFault(outcome: AttemptResult['class']): outcome is OwnFault {
  return outcome === 'body_gone' || outcome === 'secret_unreadable';
}

/** The status of a receiver that wants no more. */
export const GONE = 410;

export function isOk({ class: outcome }: AttemptResult): boolean {
  return outcome === 'ok';
}

/** The result of an attempt in which nothing was sent. */
export function notSent(fault: OwnFault): AttemptResult {
  return { class: fault, durationMs: 0, snippet: '', testTarget: false };
}

/** An attempt that has ended, and the lane as it was when it began. */
export interface Ended {
  readonly lane: LockedLane;
  readonly delivery: ClaimedDelivery;
  readonly passes: number;
  /** Given before it is written: a receipt that is written again is the same. */
  readonly attemptId: string;
  readonly startedMs: number;
  readonly result: AttemptResult;
}
