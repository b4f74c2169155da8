import { type Queryable, run } from '@market-state/postgres';
import { tables } from './tables';

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
