import { randomBytes } from 'node:crypto';
import { migrate, migrationsDigest, startStores, withClient, withDatabase } from '@market-state/launcher';
import type { DatabaseService, Stores } from '@market-state/launcher';

/** Hands out databases of one throwaway Postgres and one throwaway Redis, which start when the first is asked for. */
export interface TestServers {
  /** URL of a new database with the service's migrations, under the service's role; or of an empty one, as superuser. */
  database(service?: DatabaseService): Promise<string>;
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
  const stores = (): Promise<Stores> => (starting ??= startStores());

  async function makeTemplate(service: DatabaseService, digest: string): Promise<string> {
    const { adminUrl, postgresUrl } = await stores();
    const name = `template_${service}_${digest.slice(0, 16)}`;
    await withClient(adminUrl, (client) => client.query(`CREATE DATABASE ${name} OWNER ${service}`));
    await migrate([{ service, url: withDatabase(postgresUrl(service), name) }]);
    return name;
  }

  function templateOf(service: DatabaseService): Promise<string> {
    const digest = migrationsDigest(service);
    const key = `${service} ${digest}`;
    const template = templates.get(key) ?? makeTemplate(service, digest);
    templates.set(key, template);
    return template;
  }

  return {
    async database(service) {
      const { adminUrl, postgresUrl } = await stores();
      const name = `test_${randomBytes(8).toString('hex')}`;
      const origin = service === undefined ? '' : ` TEMPLATE ${await templateOf(service)} OWNER ${service}`;
      await withClient(adminUrl, (client) => client.query(`CREATE DATABASE ${name}${origin}`));
      return withDatabase(service === undefined ? adminUrl : postgresUrl(service), name);
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
