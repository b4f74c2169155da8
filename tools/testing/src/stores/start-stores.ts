import { databaseServices } from '@market-state/launcher';
import type { DatabaseService } from '@market-state/launcher';
import Redis from 'ioredis';
import { serversOfRun } from './servers-of-run';
import type { TestDatabase } from './test-servers';

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
