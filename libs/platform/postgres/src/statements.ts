import { type Compilable, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { type ClientBase, type Pool, type QueryConfig, type QueryResult, type QueryResultRow, type PoolClient, types } from 'pg';

async function withClient<T>(pool: Pool, work: (client: PoolClient, onBroken: (error: Error) => void) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onBroken = (error: Error): void => {
    broken = error;
  };
  client.on('error', onBroken);
  try {
    return await work(client, onBroken);
  } finally {
    client.off('error', onBroken);
    client.release(broken);
  }
}

/** If the rollback fails, the connection is discarded. */
export function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  return withClient(pool, async (client, onBroken) => {
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(onBroken);
      throw error;
    }
  });
}

/**
 * Runs `work` on a connection holding the advisory lock. The lock is lost with its connection, so long work should
 * verify it.
 * @returns false if the lock was taken
 */
export function withAdvisoryLock(pool: Pool, lock: number, work: (client: PoolClient) => Promise<void>): Promise<boolean> {
  return withClient(pool, async (client, onBroken) => {
    const { rows } = await client.query<{ is_ours: boolean }>('SELECT pg_try_advisory_lock($1) AS is_ours', [lock]);
    if (rows[0]?.is_ours !== true) return false;
    try {
      await work(client);
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(onBroken);
    }
    return true;
  });
}

/** A pool, or the connection of an open transaction. */
export type Queryable = Pool | ClientBase;

/** Typed by `npm run generate`. Has no connection: send statements with `run`. */
export function createStatements<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** `rowCount` is the number of rows read or changed. */
export function run<Row>(on: Queryable, statement: Compilable<Row>): Promise<QueryResult<Row & QueryResultRow>> {
  const { sql, parameters } = statement.compile();
  return on.query<Row & QueryResultRow>(sql, [...parameters]);
}

/** Types of a statement that reads 64-bit integers as numbers: no column of ours exceeds 2^53. */
export const NUMBER_TYPES: QueryConfig['types'] = {
  getTypeParser: (type, format) => (type === types.builtins.INT8 ? Number : types.getTypeParser(type, format)),
};

/**
 * Rows with the columns' names in camel case: 64-bit integers as numbers, null as undefined, exact decimals as text. Reads of
 * many rows are faster with names from their SQL and `NUMBER_TYPES`.
 */
export async function selectRows<Row>(on: Queryable, statement: Pick<QueryConfig, 'name' | 'text' | 'values'>): Promise<Row[]> {
  const { rows, fields } = await on.query<unknown[]>({ ...statement, rowMode: 'array', types: NUMBER_TYPES });
  const names = fields.map(({ name }) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [names[index], cell ?? undefined])) as Row);
}
