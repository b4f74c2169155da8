import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Stores, withClient } from '@market-state/launcher';
import Redis from 'ioredis';
import { comesTrue } from '../wait-until';

const POLL_MS = 20;

/** Redis forgets everything at once, rings of the queue among it. */
export async function flushRedis(url: string): Promise<void> {
  await askRedis(url, (redis) => redis.flushall());
}

/** Postgres shuts down fast, and is started again by whoever looks after it; resolves when it answers. */
export async function restartPostgres({ adminUrl }: Stores): Promise<void> {
  const folder = await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory ?? '';
  });
  const pid = async (): Promise<number> => Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10);
  const before = await pid();
  process.kill(before, 'SIGINT');
  // The file is gone between the two.
  await comesTrue(async () => (await pid().catch(() => undefined)) !== before, { limitMs: 60_000, everyMs: POLL_MS });
  const answers = (): Promise<boolean> =>
    withClient(adminUrl, async (client) => (await client.query('SELECT 1')).rows.length === 1).catch(() => false);
  if (!(await comesTrue(answers, { limitMs: 60_000, everyMs: 200 }))) throw new Error('Postgres did not come back.');
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
