import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grantToApplication } from '../src/migrations/grants';
import { migrate } from '../src/migrations/migrate';
import { migrationFilesOf, migrationsFolder } from '../src/migrations/migration-files';
import { roleOf, withClient, withDatabase, withRole } from '../src/stores/databases';
import { type DatabaseService, databaseServices } from '../src/stores/services';
import { startStores } from '../src/stores/start-stores';
import type { Stores } from '../src/stores/start-stores';
import { workspaceRoot } from '../src/workspace-root';

let folder: string;
let server: Stores;
const running: Stores[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'service-roles-test-'));
  chmodSync(folder, 0o755);
  server = await startStores();
});
afterAll(async () => {
  for (const stores of running) await stores.stop();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function ask<T extends object>(url: string, sql: string): Promise<T[]> {
  return withClient(url, async (client) => (await client.query<T>(sql)).rows);
}

async function started(options: Parameters<typeof startStores>[0]): Promise<Stores> {
  const stores = await startStores(options);
  running.push(stores);
  return stores;
}

/** What a role owns in the database of a URL, or of the server. */
function ownedBy(url: string, role: string): Promise<object[]> {
  return ask(
    url,
    `SELECT classid::regclass::text, objid FROM pg_shdepend JOIN pg_roles ON pg_roles.oid = refobjid WHERE rolname = '${role}'
      AND deptype = 'o'`,
  );
}

/** The last migration of each service before there were two roles. */
const LAST_OLD: Readonly<Partial<Record<DatabaseService, string>>> = {
  account: '0006_operations',
  data_plane: '0004_gap_tellings',
  labeling: '0009_packet_brief',
};

/** Name of that migration; before all others where a service has come since. */
function lastOldOf(service: DatabaseService): string {
  return LAST_OLD[service] ?? '';
}

/** Names of the migrations of each service since then, of those that have any. */
function migrationsSince(): object {
  const since = databaseServices.map(
    (service) => [service, migrationFilesOf(service).flatMap(({ name }) => (name > lastOldOf(service) ? [name] : []))] as const,
  );
  return Object.fromEntries(since.filter(([, names]) => names.length > 0));
}

/** Applies a service's migrations up to the last one before there were two roles. */
function applyOld(service: DatabaseService, url: string): void {
  const migrations = join(folder, `old-${service}`);
  mkdirSync(migrations, { recursive: true });
  for (const { name } of migrationFilesOf(service).filter((file) => file.name <= lastOldOf(service)))
    cpSync(join(migrationsFolder(service), name), join(migrations, name), { recursive: true });
  cpSync(join(migrationsFolder(service), 'migration_lock.toml'), join(migrations, 'migration_lock.toml'));
  const { status, stderr } = spawnSync(process.execPath, [join(workspaceRoot(), 'tools', 'prisma', 'deploy.mjs')], {
    input: JSON.stringify([{ migrations, url }]),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

test('an installation from before there were two roles keeps its data, and its service roles lose the ownership of all', async () => {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o755 });
  const before = await startStores({ dataDir });
  for (const service of databaseServices) {
    const own = before.postgresUrl(service);
    await ask(before.adminUrl, `DROP DATABASE ${service}`);
    await ask(before.adminUrl, `DROP ROLE ${service}_owner`);
    await ask(before.adminUrl, `CREATE DATABASE ${service} OWNER ${service}`);
    await ask(before.adminUrl, `REVOKE ALL ON DATABASE ${service} FROM PUBLIC`);
    applyOld(service, own);
  }
  await ask(before.postgresUrl('account'), `INSERT INTO tenant (id, name, created_at) VALUES ('ten_1', 'kept', now())`);
  await ask(
    before.postgresUrl('data_plane'),
    `CREATE TABLE log_entry_trade_20260105 PARTITION OF log_entry_trade FOR VALUES
      FROM (${Date.UTC(2026, 0, 5)}) TO (${Date.UTC(2026, 0, 6)})`,
  );
  const day = `INSERT INTO log_entry (symbol, ordinal, epoch, channel, pass, exchange_ts_ms, received_ts_ms, flags, payload)
    VALUES ('X', 1, 1, 'trade', 1, ${Date.UTC(2026, 0, 5)}, 0, 0, '')`;
  await ask(before.postgresUrl('data_plane'), day);
  expect((await ownedBy(before.postgresUrl('account'), 'account')).length).toBeGreaterThan(20);
  await before.stop();

  const after = await started({ dataDir });
  expect(await migrate(after.migrationTargets())).toEqual(migrationsSince());
  for (const service of databaseServices) {
    const url = after.postgresUrl(service);
    expect([service, await ownedBy(url, roleOf(url))]).toEqual([service, []]);
    for (const sql of ['CREATE TABLE mine (id int)', `SET ROLE ${service}_owner`])
      await expect(ask(url, sql)).rejects.toMatchObject({ code: '42501' });
  }
  const account = after.postgresUrl('account');
  expect(await ask(account, 'SELECT name FROM tenant')).toEqual([{ name: 'kept' }]);
  for (const sql of ['ALTER TABLE entry DISABLE TRIGGER ALL', 'DROP TABLE entry', 'DELETE FROM entry', 'UPDATE receipt SET id = id']) {
    await expect(ask(account, sql)).rejects.toMatchObject({ code: '42501' });
  }
  expect(await ask(after.postgresUrl('data_plane'), 'SELECT symbol FROM log_entry')).toEqual([{ symbol: 'X' }]);
  await ask(after.postgresUrl('data_plane'), `SELECT make_log_entry_day('trade', ${Date.UTC(2026, 0, 6)})`);
});

test('a URL whose parameters name a user is of the role that is asked for', () => {
  expect(withRole('postgresql://a:b@127.0.0.1/x?user=owner&password=secret&sslmode=disable', 'app', 'c')).toBe(
    'postgresql://app:c@127.0.0.1/x?sslmode=disable',
  );
});

test('a table that a later migration adds is for the application at the next start', async () => {
  const stores = await started({ given: { databaseUrl: withDatabase(server.adminUrl, 'later'), redisUrl: server.redisUrl } });
  await migrate(stores.migrationTargets());
  await ask(stores.ownerUrl('account'), 'CREATE TABLE added (id int)');
  await expect(ask(stores.postgresUrl('account'), 'SELECT 1 FROM added')).rejects.toMatchObject({ code: '42501' });
  await migrate(stores.migrationTargets());
  await ask(stores.postgresUrl('account'), 'INSERT INTO added VALUES (1)');
  await expect(ask(stores.postgresUrl('account'), 'TRUNCATE added')).rejects.toMatchObject({ code: '42501' });
});

describe('a server that is not ours', () => {
  const roles: readonly [string, string][] = [
    ['operator', 'LOGIN CREATEROLE CREATEDB'],
    ['modest', 'LOGIN'],
    ['the_owner', 'LOGIN CREATEDB'],
    ['the_app', 'LOGIN'],
    ['too_much', 'LOGIN IN ROLE the_owner'],
  ];
  const as = (role: string, database: string): string => withRole(withDatabase(server.adminUrl, database), role, 'of the test');
  beforeAll(async () => {
    for (const [role, options] of roles) await ask(server.adminUrl, `CREATE ROLE ${role} ${options} PASSWORD 'of the test'`);
  });
  const given = (databaseUrl: string, migrationDatabaseUrl?: string) => ({
    given: { databaseUrl, migrationDatabaseUrl, redisUrl: server.redisUrl },
  });

  test('gets an owner and an application role for each service, made by a role that may, and takes over what that role had made', async () => {
    await ask(server.adminUrl, 'CREATE DATABASE site_account OWNER operator');
    applyOld('account', as('operator', 'site_account'));
    await ask(as('operator', 'site_account'), `INSERT INTO tenant (id, name, created_at) VALUES ('ten_1', 'kept', now())`);
    expect((await ownedBy(as('operator', 'site_account'), 'operator')).length).toBeGreaterThan(20);
    const stores = await started(given(as('operator', 'site')));
    await migrate(stores.migrationTargets());
    for (const service of databaseServices) {
      expect([roleOf(stores.postgresUrl(service)), roleOf(stores.ownerUrl(service))]).toEqual([`site_${service}`, `site_${service}_owner`]);
      expect(await ownedBy(stores.postgresUrl(service), `site_${service}`)).toEqual([]);
    }
    expect(await ownedBy(stores.postgresUrl('account'), 'operator')).toEqual([]);
    await expect(ask(withDatabase(stores.postgresUrl('labeling'), 'site_account'), 'SELECT 1')).rejects.toMatchObject({ code: '42501' });
    await expect(ask(stores.postgresUrl('account'), 'DROP TABLE entry')).rejects.toMatchObject({ code: '42501' });
    expect(await ask(stores.postgresUrl('account'), 'SELECT name FROM tenant')).toEqual([{ name: 'kept' }]);
  });

  test('goes no further with an application role that may more than work with rows', async () => {
    const stores = await started(given(as('operator', 'strong')));
    await migrate(stores.migrationTargets());
    const grant = () => grantToApplication('account', stores.ownerUrl('account'), 'strong_account');
    await grant();
    for (const [sql, undo, fault] of [
      ['ALTER ROLE strong_account CREATEDB', 'ALTER ROLE strong_account NOCREATEDB', 'has CREATEDB'],
      ['ALTER ROLE strong_account BYPASSRLS', 'ALTER ROLE strong_account NOBYPASSRLS', 'has BYPASSRLS'],
      ['GRANT pg_read_all_data TO strong_account', 'REVOKE pg_read_all_data FROM strong_account', 'is a member of pg_read_all_data'],
    ] as const) {
      await ask(server.adminUrl, sql);
      await expect(grant()).rejects.toThrow(`The role strong_account ${fault}.`);
      await ask(server.adminUrl, undo);
    }
    await grant();
  });

  test('gives nothing by a list that names a table which there is not', async () => {
    const stores = await started(given(as('operator', 'listed')));
    await migrate(stores.migrationTargets());
    await expect(grantToApplication('account', stores.ownerUrl('account'), 'listed_account', { entries: ['SELECT'] })).rejects.toThrow(
      'privileges.json names tables that the database does not have: entries.',
    );
  });

  test('says what to do when the role of DATABASE_URL may not make roles', async () => {
    await expect(startStores(given(as('modest', 'plain')))).rejects.toThrow(
      /modest of DATABASE_URL may not make roles.*MIGRATION_DATABASE_URL.*CREATE ROLE/s,
    );
  });

  test('uses the two roles that its operator has made', async () => {
    const stores = await started(given(as('the_app', 'pair'), as('the_owner', 'pair')));
    await migrate(stores.migrationTargets());
    expect(roleOf(stores.postgresUrl('account'))).toBe('the_app');
    await ask(stores.postgresUrl('account'), `INSERT INTO tenant (id, name, created_at) VALUES ('ten_1', 'x', now())`);
    for (const sql of ['DELETE FROM entry', 'DROP TABLE entry', 'CREATE TABLE mine (id int)', 'SET ROLE the_owner']) {
      await expect(ask(stores.postgresUrl('account'), sql)).rejects.toMatchObject({ code: '42501' });
    }
  });

  test.each(['too_much', 'the_owner', 'operator', 'postgres'])('refuses %s as the role of the services', async (role) => {
    const url = role === 'postgres' ? withDatabase(server.adminUrl, 'refused') : as(role, 'refused');
    await expect(startStores(given(url, as('the_owner', 'refused')))).rejects.toThrow(`The role ${role} of DATABASE_URL`);
  });
});
