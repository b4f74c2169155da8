import type { Pool, PoolClient } from 'pg';
import { withClient } from './with-client';

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
