import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

const TENANT_OF_LEASE = {
  name: 'tenant_of_lease',
  text: 'SELECT h."tenant_id" FROM "credit_hold" h JOIN "credit_lease" USING ("id") WHERE h."id" = $1',
};

/** Null when there is no such lease. */
export async function findTenantOfLease(on: Queryable, leaseId: string): Promise<string | null> {
  const { rows } = await on.query<{ tenant_id: string }>({ ...TENANT_OF_LEASE, values: [leaseId] });
  return rows[0]?.tenant_id ?? null;
}

/** Number of the batch that was posted last; 0 when there is no such lease. */
export async function findLastBatch(on: Queryable, leaseId: string): Promise<number> {
  const { rows } = await run(on, tables.selectFrom('credit_lease').select('last_batch').where('id', '=', leaseId));
  return rows[0]?.last_batch ?? 0;
}

/** Ids of the leases of a gateway that were recalled and have not ended. */
export async function listRecalledLeases(on: Queryable, gatewayId: string): Promise<string[]> {
  const { rows } = await run(
    on,
    tables
      .selectFrom('credit_lease')
      .select('id')
      .where('gateway_id', '=', gatewayId)
      .where('ended_at', 'is', null)
      .where('recalled_at', 'is not', null),
  );
  return rows.map(({ id }) => id);
}
