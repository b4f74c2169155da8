import { unavailable } from '@market-state/errors';
import { isTransientDatabaseError } from '@market-state/postgres';
import type { Pool, QueryResultRow } from 'pg';

/** The rows that a statement gives. A failure that passes by itself becomes UNAVAILABLE. */
export async function readRows<Row extends QueryResultRow>(pool: Pool, text: string, values: unknown[] = []): Promise<Row[]> {
  try {
    const { rows } = await pool.query<Row>(text, values);
    return rows;
  } catch (error) {
    if (!isTransientDatabaseError(error)) throw error;
    throw unavailable('upstream_unavailable', 'What is stored cannot be read just now.', { cause: error });
  }
}
