import { type Compilable, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { ClientBase, Pool, QueryResult, QueryResultRow, PoolClient } from 'pg';

/**
 * Runs `work` with a connection of its own; one that breaks meanwhile, or that `work` reports as broken, is discarded instead of
 * returned.
 */
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

/**
 * Runs `work` in one transaction on one connection: committed when it resolves, rolled back when it rejects, and the connection
 * discarded when even that fails.
 */
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
 * Runs `work` on a connection that has the lock of that number, unless somebody else has it. The lock is lost with its connection: long
 * work should check now and then that it is still there.
 * @returns whether the work was run
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

/** What takes a statement: a pool, or the connection of an open transaction. */
export type Queryable = Pool | ClientBase;

/**
 * Builds statements over the tables of one service, checked against the types that `npm run generate` makes of its schema. It has no
 * connection: `run` sends what it built.
 */
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

/** Sends a statement. `rowCount` is how many rows it read or changed; `rows` are those that it returns. */
export function run<Row>(on: Queryable, statement: Compilable<Row>): Promise<QueryResult<Row & QueryResultRow>> {
  const { sql, parameters } = statement.compile();
  return on.query<Row & QueryResultRow>(sql, [...parameters]);
}
