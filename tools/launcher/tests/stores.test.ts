import { chmodSync, existsSync, lchownSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { migrate, migrationFilesOf } from '../src/migrations/migrate';
import { readProcessList } from '../src/process/registry';
import { withClient, withDatabase, withRole } from '../src/stores/databases';
import { startStores, type Stores } from '../src/stores/start-stores';

let dataDir: string;
let stores: Stores;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'stores-test-'));
  chmodSync(dataDir, 0o755);
  stores = await startStores({ dataDir });
});
afterAll(async () => {
  await stores.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function ask<T extends object>(url: string, sql: string): Promise<T[]> {
  return withClient(url, async (client) => (await client.query<T>(sql)).rows);
}

test('a role can enter only its own database', async () => {
  expect(await ask(stores.postgresUrl('account'), 'SELECT current_user::text AS role')).toEqual([{ role: 'account' }]);
  await expect(ask(withDatabase(stores.postgresUrl('account'), 'labeling'), 'SELECT 1')).rejects.toThrow('permission denied');
});

test('Postgres and Redis require a password', async () => {
  await expect(ask(withRole(stores.adminUrl, 'postgres', 'wrong'), 'SELECT 1')).rejects.toThrow('password authentication failed');
  const redis = new Redis(stores.redisUrl.replace(/:[^:@]*@/, ''), { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  await expect(redis.get('key')).rejects.toThrow('NOAUTH');
  redis.disconnect();
});

test('only its owner can read files with passwords', () => {
  for (const file of ['postgres/passwords.json', 'redis/passwords.json', 'redis/redis.conf', 'processes.json']) {
    expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
  }
  expect(existsSync(join(dataDir, 'postgres/initdb-password'))).toBe(false);
});

test('only its owner can enter the data folder, even if it was open before', () => {
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test('a folder shared by all users is rejected as the data folder', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'shared-'));
  chmodSync(shared, 0o1777);
  await expect(startStores({ dataDir: shared })).rejects.toThrow('is shared by all users. Set DATA_DIR to another folder.');
  expect(statSync(shared).mode & 0o7777).toBe(0o1777);
  rmSync(shared, { recursive: true });
});

const whereRoot = process.getuid?.() === 0 ? test : test.skip;

whereRoot('Postgres runs as an otherwise unused user, even on data of a server that ran as nobody', async () => {
  const cluster = join(dataDir, 'postgres', 'cluster');
  const ownersOf = (): Set<string> => {
    const paths = readdirSync(cluster, { recursive: true, encoding: 'utf8' }).map((name) => join(cluster, name));
    return new Set([cluster, ...paths].map((path) => `${lstatSync(path).uid}:${lstatSync(path).gid}`));
  };
  const userOfServer = (): string => {
    const { pid } = readProcessList(dataDir)?.processes.find(({ name }) => name === 'postgres') ?? { pid: 0 };
    return /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
  };
  expect([userOfServer(), ownersOf()]).toEqual(['60917', new Set(['60917:60917'])]);
  await ask(stores.ownerUrl('account'), `CREATE TABLE stays AS SELECT 'yes' AS value`);
  await stores.stop();
  for (const name of ['', ...readdirSync(cluster, { recursive: true, encoding: 'utf8' })]) lchownSync(join(cluster, name), 65_534, 65_534);
  stores = await startStores({ dataDir });
  expect([userOfServer(), ownersOf()]).toEqual(['60917', new Set(['60917:60917'])]);
  expect(await ask(stores.ownerUrl('account'), 'SELECT value FROM stays')).toEqual([{ value: 'yes' }]);
});

test('Redis is durable: append-only file, no eviction', async () => {
  const redis = new Redis(stores.redisUrl);
  const settings = await redis.call('CONFIG', 'GET', 'appendonly', 'appendfsync', 'maxmemory-policy');
  expect(settings).toEqual(expect.arrayContaining(['appendonly', 'yes', 'appendfsync', 'everysec', 'maxmemory-policy', 'noeviction']));
  redis.disconnect();
});

test('two concurrent migrations apply each script once, and a third run none', async () => {
  const services = ['webhook'] as const;
  const targets = stores.migrationTargets(services);
  const both = await Promise.all([migrate(targets), migrate(targets)]);
  for (const service of services) {
    const applied = both.flatMap((result) => result[service] ?? []);
    expect(applied).toEqual(migrationFilesOf(service).map(({ name }) => name));
  }
  expect(await migrate(targets)).toEqual({});
});

test('given stores are used, with a database for each service in addition to the named one', async () => {
  const databaseUrl = withDatabase(stores.adminUrl, 'mine');
  const given = { databaseUrl, redisUrl: stores.redisUrl };
  for (let round = 0; round < 2; round += 1) {
    const used = await startStores({ given });
    expect(used.redisUrl).toBe(stores.redisUrl);
    const [row] = await ask<{ name: string }>(used.postgresUrl('data_plane'), 'SELECT current_database()::text AS name');
    expect(row).toEqual({ name: 'mine_data_plane' });
    await used.stop();
  }
  expect(await ask(stores.adminUrl, 'SELECT 1 AS still_there')).toEqual([{ still_there: 1 }]);
});
