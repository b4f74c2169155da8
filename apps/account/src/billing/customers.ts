import type { Pool } from 'pg';

/** The tenant as the billing provider knows it; `make` is asked for one when there is none, and may be asked again when that was lost. */
export async function customerOf(pool: Pool, clock: () => number, tenantId: string, make: () => Promise<string>): Promise<string> {
  const known = await findCustomer(pool, tenantId);
  if (known !== undefined) return known;
  const made = await make();
  await pool.query(
    'INSERT INTO billing_customer (tenant_id, customer_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (tenant_id) DO NOTHING',
    [tenantId, made, new Date(clock())],
  );
  return (await findCustomer(pool, tenantId)) ?? made;
}

async function findCustomer(pool: Pool, tenantId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ customer_id: string }>('SELECT customer_id FROM billing_customer WHERE tenant_id = $1', [tenantId]);
  return rows[0]?.customer_id;
}
