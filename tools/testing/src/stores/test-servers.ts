import { randomBytes } from 'node:crypto';
import { closeDatabase, migrate, migrationsDigest, roleOf, startStores, withClient, withDatabase } from '@market-state/launcher';
import type { DatabaseService, Stores } from '@market-state/launcher';

/** Files are copied as they are: passing every page through the log of a server that is thrown away takes twice the work. */
const AS_FILES = 'STRATEGY FILE_COPY';

/** The two ways into a database of a test. */
export interface TestDatabase {
  /** As the role that the service runs with. */
  readonly url: string;
  /** As the role that owns the database. */
  readonly ownerUrl: string;
}

/** Hands out databases of one throwaway Postgres and one throwaway Redis, which start when the first is asked for. */
export interface TestServers {
  /** A new database with the service's migrations; or an empty one, with the superuser's URL twice. */
  database(service?: DatabaseService): Promise<TestDatabase>;
  /** URL of a numbered Redis database that nobody was given before. */
  redis(): Promise<string>;
  /** Stops the servers, where they were started, and removes their data. */
  stop(): Promise<void>;
}

/** Servers of this process; they end with it, however it ends. */
export function createTestServers(): TestServers {
  let starting: Promise<Stores> | undefined;
  let redisDatabases = 0;
  const templates = new Map<string, Promise<string>>();

  // A failed start is tried again by the next caller.
  function stores(): Promise<Stores> {
    starting ??= startStores().catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  }

  async function makeTemplate(service: DatabaseService, digest: string): Promise<string> {
    const running = await stores();
    const name = `template_${service}_${digest.slice(0, 16)}`;
    await createDatabase(running, name, service);
    await migrate(running.migrationTargets([service]).map((target) => ({ ...target, url: withDatabase(target.url, name) })));
    return name;
  }

  function templateOf(service: DatabaseService): Promise<string> {
    const digest = migrationsDigest(service);
    const key = `${service} ${digest}`;
    let template = templates.get(key);
    if (template === undefined) {
      template = makeTemplate(service, digest);
      template.catch(() => templates.delete(key));
      templates.set(key, template);
    }
    return template;
  }

  return {
    async database(service) {
      const running = await stores();
      const { adminUrl, postgresUrl, ownerUrl } = running;
      const name = `test_${randomBytes(8).toString('hex')}`;
      if (service === undefined) {
        await withClient(adminUrl, (client) => client.query(`CREATE DATABASE ${name} ${AS_FILES}`));
        return { url: withDatabase(adminUrl, name), ownerUrl: withDatabase(adminUrl, name) };
      }
      await createDatabase(running, name, service, await templateOf(service));
      return { url: withDatabase(postgresUrl(service), name), ownerUrl: withDatabase(ownerUrl(service), name) };
    },
    async redis() {
      const { redisUrl } = await stores();
      redisDatabases += 1;
      return `${redisUrl}/${redisDatabases}`;
    },
    async stop() {
      const started = await starting?.catch(() => undefined);
      await started?.stop();
    },
  };
}

/** A database of the service's roles, shut to all others as the launcher shuts it. */
async function createDatabase(
  { adminUrl, postgresUrl, ownerUrl }: Stores,
  name: string,
  service: DatabaseService,
  template = 'template1',
): Promise<void> {
  const roles = { application: roleOf(postgresUrl(service)), owner: roleOf(ownerUrl(service)) };
  await withClient(adminUrl, async (client) => {
    await client.query(`CREATE DATABASE ${name} OWNER ${roles.owner} TEMPLATE ${template} ${AS_FILES}`);
    await closeDatabase(client, name, roles);
  });
}
