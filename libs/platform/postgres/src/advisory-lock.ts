import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` on a connection that holds the lock of that number, when nobody else does: otherwise nothing is run. The lock goes
 * with its connection: work that takes long asks it now and then whether it is still there.
 * @returns whether the work was run
 */
export async function withAdvisoryLock(pool: Pool, lock: number, work: (client: PoolClient) => Promise<void>): Promise<boolean> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    const { rows } = await client.query<{ is_ours: boolean }>('SELECT pg_try_advisory_lock($1) AS is_ours', [lock]);
    if (rows[0]?.is_ours !== true) return false;
    try {
      await work(client);
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch(onError);
    }
    return true;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}
