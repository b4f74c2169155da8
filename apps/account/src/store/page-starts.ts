import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** The page starts after this row; newest first. */
export interface PageStart {
  readonly atMs: number;
  readonly id: string;
}

export type TenantTable = 'api_key' | 'invoice' | 'billing_order' | 'account_event';

export async function isRowOfTenant(on: Queryable, table: TenantTable, tenantId: string, { atMs, id }: PageStart): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables.selectFrom(table).select('id').where('tenant_id', '=', tenantId).where('id', '=', id).where('created_at', '=', new Date(atMs)),
  );
  return rowCount !== 0;
}
