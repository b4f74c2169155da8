import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

export async function findCustomer(on: Queryable, tenantId: string): Promise<string | undefined> {
  const { rows } = await run(on, tables.selectFrom('billing_customer').select('customer_id').where('tenant_id', '=', tenantId));
  return rows[0]?.customer_id;
}

/**
 * The conflict clause names no column: of two concurrent inserts of the same row, Postgres may detect either unique key
 * first.
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

/** @returns false if the event was recorded before */
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
