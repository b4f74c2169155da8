import { type Compilable, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { ClientBase, Pool, QueryResult, QueryResultRow } from 'pg';

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
