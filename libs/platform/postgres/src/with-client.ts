import type { Pool, PoolClient } from 'pg';

/**
 * Hands a connection of its own to `work`; one that breaks meanwhile, or that `work` says is broken, is thrown away instead of given back.
 */
export async function withClient<T>(pool: Pool, work: (client: PoolClient, onBroken: (error: Error) => void) => Promise<T>): Promise<T> {
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
