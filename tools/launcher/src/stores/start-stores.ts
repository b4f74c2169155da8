import { mkdir } from 'node:fs/promises';
import { join, resolve, delimiter, isAbsolute } from 'node:path';
import { mkdirSync, writeFileSync, accessSync, constants } from 'node:fs';
import { lockDataDir } from '../process/data-dir-lock';
import { openRegistry } from '../process/registry';
import { takeTemporaryFolder } from '../temporary-folder';
import type { MigrationTarget } from '../migrations/migrate';
import { roleOf, databaseServices } from './databases';
import { ensureGivenDatabases } from './given-databases';
import { openPasswords, ensureServiceRoles } from './service-roles';
import { startPostgres } from './postgres';
import type { DatabaseService } from '../services';
import { type StoreContext, superviseStore, type RunningStore } from './store-context';
import { freePort } from '../free-port';

/** Path of an executable file on PATH; an absolute path stands for itself. */
export function onPath(program: string): string | undefined {
  const folders = isAbsolute(program) ? [''] : (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of `redis-server`, or else `valkey-server`, on PATH; undefined if there is neither. */
export function redisServerOnPath(): string | undefined {
  return onPath('redis-server') ?? onPath('valkey-server');
}

/**
 * Path of `redis-server`, or else `valkey-server`, on PATH.
 * @throws Error if there is neither
 */
export function findRedisServer(): string {
  const found = redisServerOnPath();
  if (found === undefined)
    throw new Error('No redis-server or valkey-server is on PATH. The npm scripts download Redis, or say how to install it.');
  return found;
}

const stopTimeoutMs = 20_000;
/** Each caller of an ephemeral server gets a numbered database of its own. */
const ephemeralDatabases = 10_000;

/** A Redis (or Valkey) server of our own. */
interface RunningRedis extends RunningStore {
  url: string;
}

/**
 * Starts Redis on a free loopback port with an append-only file under `<dataDir>/redis`, a password, and no eviction.
 * The password reaches it through a file that only its owner can read.
 */
async function startRedis(context: StoreContext): Promise<RunningRedis> {
  const command = findRedisServer();
  const home = join(context.dataDir, 'redis');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const password = openPasswords(home)('redis');
  const port = await freePort();
  const config = join(home, 'redis.conf');
  writeFileSync(config, settings(home, port, password, context.ephemeral), { mode: 0o600 });
  const process = await superviseStore(
    context,
    { name: 'redis', command, args: [config], env: { LC_ALL: 'C' }, cwd: home, stopSignal: 'SIGTERM', stopTimeoutMs },
    port,
    { ready: /Ready to accept connections/ },
  );
  return { port, process, url: `redis://:${password}@127.0.0.1:${port}` };
}

function settings(home: string, port: number, password: string, ephemeral: boolean): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir "${home}"`,
    'daemonize no',
    'supervised no',
    'save ""',
    'maxmemory-policy noeviction',
    ...(ephemeral ? ['appendonly no', `databases ${ephemeralDatabases}`] : ['appendonly yes', 'appendfsync everysec']),
  ];
  return `${lines.join('\n')}\n`;
}

/** Postgres and Redis, ours or those we were told of. */
export interface Stores {
  /** URL of a service's own database, with the role that the service runs with. */
  postgresUrl(service: DatabaseService): string;
  /** The same database as the role that owns it. No service is told this one. */
  ownerUrl(service: DatabaseService): string;
  /** What `migrate` takes for these services; for all by default. */
  migrationTargets(services?: readonly DatabaseService[]): MigrationTarget[];
  /** The superuser's URL when the server is ours, otherwise the URL that was given. */
  adminUrl: string;
  redisUrl: string;
  /** Stops what was started here; stores that were given stay as they are. */
  stop(): Promise<void>;
}

/** Stores that are used as they are instead of starting some. */
export interface GivenStores {
  databaseUrl?: string;
  /** Of the role that owns the databases, where `databaseUrl` is of the one that the services run with. */
  migrationDatabaseUrl?: string | undefined;
  redisUrl?: string;
}

/**
 * Starts the stores that are not given, in a data folder that is already locked.
 * @throws Error with a store's last lines when it does not start; nothing is left running then
 */
export async function launchStores(context: StoreContext, given: GivenStores = {}): Promise<Stores> {
  const started = await Promise.allSettled([
    given.databaseUrl === undefined ? startPostgres(context) : undefined,
    given.redisUrl === undefined ? startRedis(context) : undefined,
  ]);
  const [postgres, redis] = started;
  const stop = async (): Promise<void> => {
    const running = [postgres, redis].map((result) => (result.status === 'fulfilled' ? result.value : undefined));
    await Promise.all(running.map((store) => store?.process.stop()));
  };
  if (postgres.status === 'rejected' || redis.status === 'rejected') {
    await stop();
    throw started.find((result) => result.status === 'rejected')?.reason;
  }
  const adminUrl = postgres.value?.adminUrl ?? given.databaseUrl;
  const redisUrl = redis.value?.url ?? given.redisUrl;
  if (adminUrl === undefined || redisUrl === undefined) throw new Error('A store is neither given nor started.');
  try {
    const urls =
      postgres.value === undefined
        ? await ensureGivenDatabases(
            { url: adminUrl, ownerUrl: given.migrationDatabaseUrl },
            openPasswords(await ownFolder(context.dataDir)),
          )
        : await ensureServiceRoles(adminUrl, (service) => service, postgres.value.passwords);
    return {
      postgresUrl: (service) => urls[service].application,
      ownerUrl: (service) => urls[service].owner,
      migrationTargets: (services = databaseServices) =>
        services.map((service) => ({ service, url: urls[service].owner, application: roleOf(urls[service].application) })),
      adminUrl,
      redisUrl,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Where the passwords of roles on a server that is not ours stay. */
async function ownFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'secrets');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Options of startStores. */
interface StartStoresOptions {
  /** Where the data stays. Without it the stores are ephemeral: a temporary folder, no waiting for the disk, removed afterwards. */
  dataDir?: string;
  /** Stores to use as they are. */
  given?: GivenStores;
  /** Takes one line for a person to read; nobody by default. */
  say?: (line: string) => void;
}

/**
 * Starts a Postgres and a Redis of one's own on free loopback ports, with a database, an owner and an application role per service. They
 * end with this process, however it ends.
 * @throws DataDirInUseError when another launcher uses the data folder
 */
export async function startStores(options: StartStoresOptions = {}): Promise<Stores> {
  const folder = options.dataDir === undefined ? takeTemporaryFolder() : undefined;
  const dataDir = resolve(folder?.path ?? (options.dataDir as string));
  const unlock = await lockDataDir(dataDir);
  const { registry } = await openRegistry(dataDir);
  const clear = async (): Promise<void> => {
    registry.close();
    await unlock();
    folder?.remove();
  };
  try {
    const stores = await launchStores(
      { dataDir, ephemeral: folder !== undefined, registry, say: options.say ?? (() => undefined) },
      options.given,
    );
    return {
      ...stores,
      async stop() {
        await stores.stop();
        await clear();
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}
