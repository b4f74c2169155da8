import { readFile } from 'node:fs/promises';
import { type Stores, withClient } from '@market-state/launcher';
import Redis from 'ioredis';
import { comesTrue } from '../wait-until';

/** Redis forgets everything at once, rings of the queue among it. */
export async function flushRedis(url: string): Promise<void> {
  await askRedis(url, (redis) => redis.flushall());
}

/** Postgres shuts down fast, and is started again by whoever looks after it; resolves when it answers. */
export async function restartPostgres({ adminUrl }: Stores): Promise<void> {
  // The server is the parent of the process that serves a connection.
  const pid = (): Promise<number> =>
    withClient(adminUrl, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const status = await readFile(`/proc/${rows[0]?.pid}/status`, 'utf8');
      return Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]);
    });
  const before = await pid();
  process.kill(before, 'SIGINT');
  const isBack = async (): Promise<boolean> => (await pid().catch(() => before)) !== before;
  if (!(await comesTrue(isBack, { limitMs: 60_000, everyMs: 200 }))) throw new Error('Postgres did not come back.');
}

/** Redis is killed, and started again by whoever looks after it; resolves when it answers. */
export async function restartRedis(url: string): Promise<void> {
  const pid = /process_id:(\d+)/.exec(await askRedis(url, (redis) => redis.info('server')))?.[1];
  process.kill(Number(pid), 'SIGKILL');
  const isBack = (): Promise<boolean> => askRedis(url, async (redis) => (await redis.ping()) === 'PONG').catch(() => false);
  if (!(await comesTrue(isBack, { limitMs: 60_000, everyMs: 200 }))) throw new Error('Redis did not come back.');
}

async function askRedis<T>(url: string, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}
