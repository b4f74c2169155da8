import type { Pool, PoolClient } from 'pg';

/** The pool, or a connection in the midst of a transaction. */
export type Queryable = Pick<Pool | PoolClient, 'query'>;
