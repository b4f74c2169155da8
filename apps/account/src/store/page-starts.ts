import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** The row behind which a page begins, of a list from the newest on. */
export interface PageStart {
  /** When it was made, milliseconds since the epoch. */
  readonly atMs: number;
  readonly id: string;
}

/** Whether a tenant has the row, made at that time, behind which a page is to begin. */
export async function isRowOfTenant(
  on: Queryable,
  table: 'api_key' | 'invoice',
  tenantId: string,
  { atMs, id }: PageStart,
): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables.selectFrom(table).select('id').where('tenant_id', '=', tenantId).where('id', '=', id).where('created_at', '=', new Date(atMs)),
  );
  return rowCount !== 0;
}
