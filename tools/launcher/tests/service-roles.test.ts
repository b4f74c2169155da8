import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grantToApplication, migrate } from '../src/migrations/migrate';
import { roleOf, withDatabase, withRole, databaseServices } from '../src/stores/databases';
import { startStores, type Stores } from '../src/stores/start-stores';
import { applyOld, ask, ownedBy } from './fixtures/old-installation';
import { sharedServer } from './fixtures/shared-server';

let folder: string;
let server: Stores;
const running: Stores[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'service-roles-test-'));
  chmodSync(folder, 0o755);
  server = await sharedServer();
});
afterAll(async () => {
  for (const stores of running) await stores.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function started(options: Parameters<typeof startStores>[0]): Promise<Stores> {
  const stores = await startStores(options);
  running.push(stores);
  return stores;
}

/** Migrates only the account database: the others would take most of the time. */
function migrateAccount(stores: Stores): Promise<object> {
  return migrate(stores.migrationTargets().filter(({ service }) => service === 'account'));
}

test('a URL whose query parameters name a user gets the requested role', () => {
  expect(withRole('postgresql://a:b@127.0.0.1/x?user=owner&password=secret&sslmode=disable', 'app', 'c')).toBe(
    'postgresql://app:c@127.0.0.1/x?sslmode=disable',
  );
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

  describe('whose role may create roles', () => {
    let site: Stores;
    beforeAll(async () => {
      await ask(server.adminUrl, 'CREATE DATABASE site_account OWNER operator');
      applyOld(folder, 'account', as('operator', 'site_account'));
      await ask(as('operator', 'site_account'), `INSERT INTO tenant (id, name, created_at) VALUES ('ten_1', 'kept', now())`);
      expect((await ownedBy(as('operator', 'site_account'), 'operator')).length).toBeGreaterThan(20);
      site = await started(given(as('operator', 'site')));
      await migrateAccount(site);
    });

    test('gets an owner and an application role for each service, and takes over existing objects', async () => {
      for (const service of databaseServices) {
        expect([roleOf(site.postgresUrl(service)), roleOf(site.ownerUrl(service))]).toEqual([`site_${service}`, `site_${service}_owner`]);
        expect(await ownedBy(site.postgresUrl(service), `site_${service}`)).toEqual([]);
      }
      expect(await ownedBy(site.postgresUrl('account'), 'operator')).toEqual([]);
      await expect(ask(withDatabase(site.postgresUrl('labeling'), 'site_account'), 'SELECT 1')).rejects.toMatchObject({ code: '42501' });
      await expect(ask(site.postgresUrl('account'), 'DROP TABLE entry')).rejects.toMatchObject({ code: '42501' });
      expect(await ask(site.postgresUrl('account'), 'SELECT name FROM tenant')).toEqual([{ name: 'kept' }]);
    });

    test("the application can use a later migration's table from the next start", async () => {
      await ask(site.ownerUrl('account'), 'CREATE TABLE added (id int)');
      await expect(ask(site.postgresUrl('account'), 'SELECT 1 FROM added')).rejects.toMatchObject({ code: '42501' });
      await migrateAccount(site);
      await ask(site.postgresUrl('account'), 'INSERT INTO added VALUES (1)');
      await expect(ask(site.postgresUrl('account'), 'TRUNCATE added')).rejects.toMatchObject({ code: '42501' });
    });

    test('rejects an application role with excessive rights', async () => {
      const grant = () => grantToApplication('account', site.ownerUrl('account'), 'site_account');
      await grant();
      for (const [sql, undo, fault] of [
        ['ALTER ROLE site_account CREATEDB', 'ALTER ROLE site_account NOCREATEDB', 'has CREATEDB'],
        ['ALTER ROLE site_account BYPASSRLS', 'ALTER ROLE site_account NOBYPASSRLS', 'has BYPASSRLS'],
        ['GRANT pg_read_all_data TO site_account', 'REVOKE pg_read_all_data FROM site_account', 'is a member of pg_read_all_data'],
      ] as const) {
        await ask(server.adminUrl, sql);
        await expect(grant()).rejects.toThrow(`The role site_account ${fault}.`);
        await ask(server.adminUrl, undo);
      }
      await grant();
    });

    test('grants nothing if a list names an unknown table', async () => {
      await expect(grantToApplication('account', site.ownerUrl('account'), 'site_account', { entries: ['SELECT'] })).rejects.toThrow(
        'privileges.json names tables that the database does not have: entries.',
      );
    });
  });

  test('explains what to do when the role of DATABASE_URL may not create roles', async () => {
    await expect(startStores(given(as('modest', 'plain')))).rejects.toThrow(
      /modest of DATABASE_URL may not create roles.*MIGRATION_DATABASE_URL.*CREATE ROLE/s,
    );
  });

  test("uses the operator's two roles", async () => {
    const stores = await started(given(as('the_app', 'pair'), as('the_owner', 'pair')));
    await migrateAccount(stores);
    expect(roleOf(stores.postgresUrl('account'))).toBe('the_app');
    await ask(stores.postgresUrl('account'), `INSERT INTO tenant (id, name, created_at) VALUES ('ten_1', 'x', now())`);
    for (const sql of ['DELETE FROM entry', 'DROP TABLE entry', 'CREATE TABLE mine (id int)', 'SET ROLE the_owner']) {
      await expect(ask(stores.postgresUrl('account'), sql)).rejects.toMatchObject({ code: '42501' });
    }
  });

  test.each(['too_much', 'the_owner', 'operator', 'postgres'])('rejects %s as the role of the services', async (role) => {
    const url = role === 'postgres' ? withDatabase(server.adminUrl, 'refused') : as(role, 'refused');
    await expect(startStores(given(url, as('the_owner', 'refused')))).rejects.toThrow(`The role ${role} of DATABASE_URL`);
  });
});
