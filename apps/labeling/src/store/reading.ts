import { deadlineExceeded, unavailable } from '@market-state/errors';
import { isTransientDatabaseError, type Queryable } from '@market-state/postgres';
import type { QueryResultRow } from 'pg';

/** SQLSTATE of a statement that was cut off at its time limit. */
const QUERY_CANCELLED = '57014';

/** SQL; with a name it is parsed and planned once on each connection. */
type Statement = string | { readonly name: string; readonly text: string };

/**
 * The rows that a statement gives. A failure that passes by itself becomes UNAVAILABLE, a statement that took too long DEADLINE_EXCEEDED.
 */
export async function readRows<Row extends QueryResultRow>(pool: Queryable, statement: Statement, values: unknown[] = []): Promise<Row[]> {
  try {
    const named = typeof statement === 'string' ? { text: statement } : statement;
    const { rows } = await pool.query<Row>({ ...named, values });
    return rows;
  } catch (error) {
    if ((error as { code?: unknown }).code === QUERY_CANCELLED)
      throw deadlineExceeded('upstream_deadline', 'What is stored took too long to read.', { cause: error });
    if (!isTransientDatabaseError(error)) throw error;
    throw unavailable('upstream_unavailable', 'Stored data cannot be read at the moment.', { cause: error });
  }
}
