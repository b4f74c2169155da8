import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** Whether a tenant has the row, made at that time, behind which a page is to begin. */
export async function isRowOfTenant(
  on: Queryable,
  table: 'api_key' | 'invoice',
  tenantId: string,
  { atMs, id }: { readonly atMs: number; readonly id: string },
): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables.selectFrom(table).select('id').where('tenant_id', '=', tenantId).where('id', '=', id).where('created_at', '=', new Date(atMs)),
  );
  return rowCount !== 0;
}
