import { ledgerAudit } from '@market-state/account';
import { comesTrue } from '@market-state/testing';
import type { Pool } from 'pg';

/** Leases of gateways that died are released by themselves after 90 s. */
const RELEASED_MS_MAX = 130_000;
const RELEASED_POLL_MS = 500;
const RECEIPTS_POLL_MS = 200;

/** How many entries the ledger has, and which of its rules they break, a sentence each. */
export async function auditLedger(pool: Pool): Promise<{ readonly entries: number; readonly faults: string[] }> {
  const { entries, faults } = await ledgerAudit(pool, Date.now());
  return { entries, faults: faults.map(({ tenantId, message }) => `${tenantId}: ${message}`) };
}

/** Waits for the end of every hold; then a sentence for each that has none. */
export async function unreleasedHolds(pool: Pool): Promise<string[]> {
  const held = async (): Promise<{ id: string }[]> =>
    (await pool.query<{ id: string }>('SELECT id FROM credit_hold WHERE ended_at IS NULL')).rows;
  await comesTrue(async () => (await held()).length === 0, { limitMs: RELEASED_MS_MAX, everyMs: RELEASED_POLL_MS });
  return (await held()).map(({ id }) => `Hold ${id} was not released.`);
}

/** Receipts of calls of a tenant that were charged. */
export async function receiptsOf(pool: Pool, tenantId: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>('SELECT count(*)::int AS total FROM receipt WHERE tenant_id = $1', [tenantId]);
  return rows[0]?.total ?? 0;
}

/** The same, once there are as many as are wanted, or the time is over: gateways post what they charged a little later. */
export async function receiptsOnceThere(pool: Pool, tenantId: string, wanted: number, limitMs: number): Promise<number> {
  await comesTrue(async () => (await receiptsOf(pool, tenantId)) >= wanted, { limitMs, everyMs: RECEIPTS_POLL_MS });
  return receiptsOf(pool, tenantId);
}
