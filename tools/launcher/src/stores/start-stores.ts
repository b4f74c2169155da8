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

/** Path of an executable on PATH; absolute paths are returned unchanged. */
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

export function redisServerOnPath(): string | undefined {
  return onPath('redis-server') ?? onPath('valkey-server');
}

export function findRedisServer(): string {
  const found = redisServerOnPath();
  if (found === undefined)
    throw new Error('No redis-server or valkey-server is on PATH. The npm scripts download Redis, or say how to install it.');
  return found;
}

const stopTimeoutMs = 20_000;
const ephemeralDatabases = 10_000;

interface RunningRedis extends RunningStore {
  url: string;
}

/**
 * Starts Redis (or Valkey) with an append-only file and no eviction. The password is passed in a file readable only by
 * its owner.
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

export interface Stores {
  postgresUrl(service: DatabaseService): string;
  /** Never passed to services. */
  ownerUrl(service: DatabaseService): string;
  migrationTargets(services?: readonly DatabaseService[]): MigrationTarget[];
  /** Superuser URL of our own server, otherwise the given URL. */
  adminUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

export interface GivenStores {
  databaseUrl?: string;
  /** URL of the owner role; `databaseUrl` then has the services' role. */
  migrationDatabaseUrl?: string | undefined;
  redisUrl?: string;
}

/**
 * Starts the missing stores in a locked data folder.
 * @throws Error with a store's last lines if it does not start; nothing is left running
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

async function ownFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'secrets');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

interface StartStoresOptions {
  /** Default: ephemeral stores in a temporary folder, without fsync. */
  dataDir?: string;
  given?: GivenStores;
  say?: (line: string) => void;
}

/**
 * They end with this process.
 * @throws DataDirInUseError if another launcher uses the data folder
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
