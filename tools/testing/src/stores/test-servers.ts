import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  closeDatabase,
  migrate,
  migrationsDigest,
  roleOf,
  startStores,
  withClient,
  withDatabase,
  type DatabaseService,
  type Stores,
  databaseServices,
  workspaceRoot,
} from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';

export async function openPrivateStores(closer: Closer, ...services: readonly DatabaseService[]): Promise<Stores> {
  const stores = await startStores();
  closer.add('stores', () => stores.stop());
  await migrate(stores.migrationTargets(services));
  return stores;
}

/** Set by the `test` target: the run's task `testing:stores` publishes its servers' address. */
const SHARED = 'MARKET_STATE_TEST_STORES';
const APPEARS_MS_MAX = 120_000;
const POLL_MS = 50;

export function sharedServersFile(): string {
  return join(workspaceRoot(), 'dist', '.test-stores');
}

/**
 * Serves one pair of servers to a test run, on a loopback address with a secret path.
 * @returns that address, and a function that stops the servers
 */
export async function offerTestServers(): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const servers = createTestServers();
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    // A client with a keep-alive connection could send on it just as it is closed.
    response.setHeader('connection', 'close');
    const [, given, kind, service] = (request.url ?? '').split('/');
    const known = databaseServices.find((name) => name === service);
    const answer =
      given === secret
        ? kind === 'redis'
          ? servers.redis()
          : servers.database(known).then((database) => JSON.stringify(database))
        : Promise.reject(new Error('unknown path'));
    answer.then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${secret}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await servers.stop();
    },
  };
}

/** The run's shared servers, or private ones that end with this process. */
export function serversOfRun(): TestServers {
  if (process.env[SHARED] !== 'shared') return createTestServers();
  const ask = async (path: string): Promise<string> => {
    const response = await askShared(path);
    const body = await response.text();
    if (!response.ok) throw new Error(`The test servers answered: ${body}`);
    return body;
  };
  return {
    database: async (service) => JSON.parse(await ask(`database/${service ?? ''}`)) as TestDatabase,
    redis: () => ask('redis'),
    stop: async () => undefined,
  };
}

/** The task may still be starting, or the file may be left from a killed run. */
async function askShared(path: string): Promise<Response> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await fetch(`${readFileSync(sharedServersFile(), 'utf8')}/${path}`);
    } catch (cause) {
      if (performance.now() - startedAt > APPEARS_MS_MAX) throw new Error('The task testing:stores provides no servers.', { cause });
      await delay(POLL_MS);
    }
  }
}

/** Copies files directly: logging every page of a temporary server would double the work. */
const AS_FILES = 'STRATEGY FILE_COPY';

export interface TestDatabase {
  readonly url: string;
  readonly ownerUrl: string;
}

interface TestServers {
  /** A new migrated database, or an empty one with the superuser's URL twice. */
  database(service?: DatabaseService): Promise<TestDatabase>;
  /** A numbered Redis database not used before. */
  redis(): Promise<string>;
  stop(): Promise<void>;
}

function createTestServers(): TestServers {
  let starting: Promise<Stores> | undefined;
  let redisDatabases = 0;
  const templates = new Map<string, Promise<string>>();

  // The next caller retries a failed start.
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

/** Closed to other roles, as by the launcher. */
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
