import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

/** Whether an operation has given the tenant credits. */
export async function hasGrantPosting(on: Queryable, tenantId: string, operationId: string): Promise<boolean> {
  const { rowCount } = await run(
    on,
    tables
      .selectFrom('posting')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('operation_id', '=', operationId)
      .where('phase', '=', 'grant')
      .where('part', '=', 0),
  );
  return rowCount !== 0;
}
