import { failedPrecondition, type ServiceError } from '@market-state/errors';
import type { Pool } from 'pg';
import { KEPT_MS } from './times';

/** An owner's hold on a call. */
export interface HeldCall {
  readonly tenantId: string;
  readonly operationId: string;
  readonly fence: number;
}

export interface EndDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}

/** Stores the answer, once: the same owner may tell it again. @throws ServiceError FAILED_PRECONDITION with reason `fence_passed` */
export async function finishCall(
  { pool, clock }: EndDeps,
  { tenantId, operationId, fence }: HeldCall,
  sealedAnswer: Uint8Array,
): Promise<void> {
  const forgetAt = new Date(clock() + KEPT_MS);
  const { rowCount } = await pool.query(
    `UPDATE idempotent_call SET sealed_answer = $4, forget_at = $5 WHERE id = $1 AND tenant_id = $2 AND fence = $3
      AND sealed_answer IS NULL`,
    [operationId, tenantId, fence, sealedAnswer, forgetAt],
  );
  if (rowCount === 1) return;
  const { rows } = await pool.query('SELECT 1 FROM idempotent_call WHERE id = $1 AND tenant_id = $2 AND fence = $3', [
    operationId,
    tenantId,
    fence,
  ]);
  if (rows.length === 0) throw fencePassed();
}

/**
 * Frees the key; of a call that is not there any more nothing is left to free. @throws ServiceError FAILED_PRECONDITION with reason
 * `fence_passed`
 */
export async function abandonCall({ pool }: EndDeps, { tenantId, operationId, fence }: HeldCall): Promise<void> {
  const { rowCount } = await pool.query(
    'DELETE FROM idempotent_call WHERE id = $1 AND tenant_id = $2 AND fence = $3 AND sealed_answer IS NULL',
    [operationId, tenantId, fence],
  );
  if (rowCount === 1) return;
  const { rows } = await pool.query('SELECT 1 FROM idempotent_call WHERE id = $1 AND tenant_id = $2', [operationId, tenantId]);
  if (rows.length > 0) throw fencePassed();
}

/** Removes calls whose time is over. @returns how many */
export async function sweepCalls({ pool, clock }: EndDeps): Promise<number> {
  const { rowCount } = await pool.query('DELETE FROM idempotent_call WHERE forget_at <= $1', [new Date(clock())]);
  return rowCount ?? 0;
}

export function fencePassed(): ServiceError {
  return failedPrecondition('fence_passed', 'Another process has taken this call over, or it has ended.');
}
