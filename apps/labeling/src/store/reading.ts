import { deadlineExceeded, unavailable } from '@market-state/errors';
import { isTransientDatabaseError, type Queryable } from '@market-state/postgres';
import type { QueryResultRow } from 'pg';

const QUERY_CANCELLED = '57014';

/** SQL; a named statement is prepared once per connection. */
type Statement = string | { readonly name: string; readonly text: string };

/** Transient failures become UNAVAILABLE, timeouts DEADLINE_EXCEEDED. */
export async function readRows<Row extends QueryResultRow>(pool: Queryable, statement: Statement, values: unknown[] = []): Promise<Row[]> {
  try {
    const named = typeof statement === 'string' ? { text: statement } : statement;
    const { rows } = await pool.query<Row>({ ...named, values });
    return rows;
  } catch (error) {
    if ((error as { code?: unknown }).code === QUERY_CANCELLED)
      throw deadlineExceeded('upstream_deadline', 'Reading stored data took too long.', { cause: error });
    if (!isTransientDatabaseError(error)) throw error;
    throw unavailable('upstream_unavailable', 'Stored data is temporarily unavailable.', { cause: error });
  }
}
