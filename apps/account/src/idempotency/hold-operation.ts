import type { Queryable } from '@market-state/postgres';
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
  const { rows } = await db.query<{ fence: number; answered: boolean }>(
    'SELECT fence, sealed_answer IS NOT NULL AS answered FROM idempotent_call WHERE id = $1 AND tenant_id = $2 FOR SHARE',
    [id, tenantId],
  );
  const [call] = rows;
  if (call !== undefined && (call.fence !== fence || call.answered)) throw fencePassed();
}
