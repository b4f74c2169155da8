import type { Pool } from 'pg';

/** Receipts of calls of a tenant that were charged. */
export async function receiptsOf(pool: Pool, tenantId: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>('SELECT count(*)::int AS total FROM receipt WHERE tenant_id = $1', [tenantId]);
  return rows[0]?.total ?? 0;
}
