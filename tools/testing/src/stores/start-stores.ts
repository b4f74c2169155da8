import { readFile } from 'node:fs/promises';
import { databaseServices, type DatabaseService, type Stores, withClient } from '@market-state/launcher';
import Redis from 'ioredis';
import { serversOfRun, type TestDatabase } from './test-servers';
import { comesTrue } from '../wait-until';

/** A Postgres and a Redis that hold only what one test file puts there. */
export interface TestStores {
  /** URL of the service's database, migrated, as the role that the service runs with. @throws Error when the service was not asked for */
  postgresUrl(service: DatabaseService): string;
  /** The same database as the role that owns it: for what a test does to a database that no service may. */
  ownerUrl(service: DatabaseService): string;
  /** URL of a new, empty database, as its superuser. */
  emptyDatabaseUrl(): Promise<string>;
  /** URL of an empty Redis database; other numbers on that server belong to others. */
  redisUrl: string;
  /** Gives everything back. */
  stop(): Promise<void>;
}

/**
 * Real stores for a test file: databases of its own on servers that the whole test run shares.
 * @param services whose databases are wanted; all by default
 */
export async function startStores({ services = databaseServices }: { services?: readonly DatabaseService[] } = {}): Promise<TestStores> {
  const servers = serversOfRun();
  const databases = new Map(await Promise.all(services.map(async (service) => [service, await servers.database(service)] as const)));
  const redisUrl = await servers.redis();
  function databaseOf(service: DatabaseService): TestDatabase {
    const database = databases.get(service);
    if (database === undefined) throw new Error(`Ask startStores for the database of ${service}.`);
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

/** Redis forgets everything at once, jobs and wake-ups of queues among it. */
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
