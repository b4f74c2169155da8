import type { Pool } from 'pg';
import { auditLedger, type LedgerAudit } from '../store/ledger-audit';

/** A lease's hold may outlive its time by a sweep and a long transaction. */
const SWEEP_GRACE_MS = 30_000;

/**
 * Computes every balance anew from the entries, and names what is kept otherwise; also holds past their time, and receipts and usage that
 * are not what was posted. One tenant's, or everybody's.
 */
export function ledgerAudit(pool: Pool, nowMs: number, tenantId: string | null = null): Promise<LedgerAudit> {
  return auditLedger(pool, tenantId, nowMs - SWEEP_GRACE_MS);
}
