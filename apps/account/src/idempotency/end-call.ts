import { failedPrecondition, type ServiceError } from '@market-state/errors';
import type { Pool } from 'pg';
import { type CallTry, deleteForgottenCalls, deleteUnanswered, hasCall, isOwner, writeAnswer } from '../store/idempotent-calls';
import { KEPT_MS } from './times';

export interface EndDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

/** Stores the answer, once: the same owner may send it again. @throws ServiceError FAILED_PRECONDITION with reason `fence_passed` */
export async function finishCall({ pool, clock }: EndDeps, own: CallTry, sealedAnswer: Uint8Array): Promise<void> {
  if (await writeAnswer(pool, own, sealedAnswer, clock() + KEPT_MS)) return;
  if (!(await isOwner(pool, own))) throw fencePassed();
}

/**
 * Frees the key; of a call that is not there any more nothing is left to free. @throws ServiceError FAILED_PRECONDITION with reason
 * `fence_passed`
 */
export async function abandonCall({ pool }: EndDeps, own: CallTry): Promise<void> {
  if (await deleteUnanswered(pool, own)) return;
  if (await hasCall(pool, own.tenantId, own.operationId)) throw fencePassed();
}

/** Removes calls whose time is over. @returns how many */
export function sweepCalls({ pool, clock }: EndDeps): Promise<number> {
  return deleteForgottenCalls(pool, clock());
}

export function fencePassed(): ServiceError {
  return failedPrecondition('fence_passed', 'Another process has taken this call over, or it has ended.');
}
