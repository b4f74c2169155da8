import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** The billing provider's id of a tenant; undefined when none is known. */
export async function findCustomer(on: Queryable, tenantId: string): Promise<string | undefined> {
  const { rows } = await run(on, tables.selectFrom('billing_customer').select('customer_id').where('tenant_id', '=', tenantId));
  return rows[0]?.customer_id;
}

/**
 * Writes the billing provider's id of a tenant that has none, unless the tenant or the id has a row. No column is named for the conflict:
 * of two that write the same row at once, Postgres may see the other's id before its tenant.
 */
export async function insertCustomer(on: Queryable, tenantId: string, customerId: string, nowMs: number): Promise<void> {
  await run(
    on,
    tables
      .insertInto('billing_customer')
      .values({ tenant_id: tenantId, customer_id: customerId, created_at: new Date(nowMs) })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Notes that an event of the billing provider came. @returns false when it came before */
export async function insertProviderEvent(
  on: Queryable,
  { id, type }: { readonly id: string; readonly type: string },
  receivedMs: number,
): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .insertInto('provider_event')
      .values({ id, type, received_at: new Date(receivedMs) })
      .onConflict((conflict) => conflict.column('id').doNothing()),
  );
  return rowCount === 1;
}
