import { readFile } from 'node:fs/promises';
import { databaseServices, type DatabaseService, type Stores, withClient } from '@market-state/launcher';
import Redis from 'ioredis';
import { serversOfRun, type TestDatabase } from './test-servers';
import { comesTrue } from '../wait-until';

export interface TestStores {
  /** Migrated database with the service's role. @throws Error if the service was not requested */
  postgresUrl(service: DatabaseService): string;
  /** For changes that no service may make. */
  ownerUrl(service: DatabaseService): string;
  emptyDatabaseUrl(): Promise<string>;
  /** Other numbers on that server are in use elsewhere. */
  redisUrl: string;
  stop(): Promise<void>;
}

/**
 * Stores for a test file: private databases on servers shared by the test run.
 * @param services whose databases are needed; default: all
 */
export async function startStores({ services = databaseServices }: { services?: readonly DatabaseService[] } = {}): Promise<TestStores> {
  const servers = serversOfRun();
  const databases = new Map(await Promise.all(services.map(async (service) => [service, await servers.database(service)] as const)));
  const redisUrl = await servers.redis();
  function databaseOf(service: DatabaseService): TestDatabase {
    const database = databases.get(service);
    if (database === undefined) throw new Error(`Request the database of ${service} from startStores.`);
    return database;
  }
  return {
    postgresUrl: (service) => databaseOf(service).url,
    ownerUrl: (service) => databaseOf(service).ownerUrl,
    emptyDatabaseUrl: async () => (await servers.database()).url,
    redisUrl,
    async stop() {
      const redis = new Redis(redisUrl);
      await redis.flushdb('ASYNC');
      redis.disconnect();
      await servers.stop();
    },
  };
}

/** Makes Redis lose everything, including queued jobs and wake-ups. */
export async function flushRedis(url: string): Promise<void> {
  await askRedis(url, (redis) => redis.flushall());
}

/** Shuts Postgres down fast; its supervisor restarts it. Resolves when it answers. */
export async function restartPostgres({ adminUrl }: Stores): Promise<void> {
  // The server is the parent of a connection's process.
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

/** Kills Redis; its supervisor restarts it. Resolves when it answers. */
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
