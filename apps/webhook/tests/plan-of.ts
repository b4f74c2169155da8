import { inTransaction, type Queryable } from '@market-state/postgres';
import type { Pool } from 'pg';

/**
 * Query plans of the statements that `work` issues, preferring indexes. The statements are not run and return no rows.
 */
export function planOf(pool: Pool, work: (on: Queryable) => Promise<unknown>): Promise<string> {
  return inTransaction(pool, async (client) => {
    await client.query('SET LOCAL enable_seqscan = off');
    const lines: string[] = [];
    const query = async (text: string, values: readonly unknown[]) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
      lines.push(...rows.map((row) => row['QUERY PLAN']));
      return { rows: [], rowCount: 0 };
    };
    await work({ query } as unknown as Queryable);
    return lines.join('\n');
  });
}
