import type { Queryable } from '@market-state/postgres';
import { shareCall } from '../store/idempotent-calls';
import { fencePassed } from './end-call';

/** A try of a call whose effect is to come about once. */
export interface CallOperation {
  /** The same on every try. */
  readonly id: string;
  /** Of the try, where the id is one of a call with an Idempotency-Key; else 0. */
  readonly fence: number;
}

/**
 * Keeps others from taking the call over until the transaction ends, in which its effect is written. An operation that is no call with an
 * Idempotency-Key belongs to whoever names it. Before any other row is held: beginning a call holds the call first, too.
 * @throws ServiceError FAILED_PRECONDITION with reason `fence_passed` when another has taken it over, or it was answered
 */
export async function holdOperation(db: Queryable, tenantId: string, { id, fence }: CallOperation): Promise<void> {
  const call = await shareCall(db, tenantId, id);
  if (call !== null && (call.fence !== fence || call.isAnswered)) throw fencePassed();
}
