import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` with a connection of its own; one that breaks meanwhile, or that `work` reports as broken, is discarded instead of
 * returned.
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
