import type { Pool, PoolClient } from 'pg';
import { withClient } from './with-client';

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
