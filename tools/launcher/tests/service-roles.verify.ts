import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../src/migrations/migrate';
import { roleOf, withDatabase, withRole, databaseServices } from '../src/stores/databases';
import { startStores, type Stores } from '../src/stores/start-stores';
import { applyOld, ask, migrationsSince, ownedBy } from './fixtures/old-installation';

let folder: string;
let after: Stores | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-roles-test-'));
  chmodSync(folder, 0o755);
});
afterAll(async () => {
  await after?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an installation from before there were two roles keeps its data, and its service roles lose all ownership', async () => {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o755 });
  const before = await startStores({ dataDir });
  for (const service of databaseServices) {
    const own = before.postgresUrl(service);
    await ask(before.adminUrl, `DROP DATABASE ${service}`);
    await ask(before.adminUrl, `DROP ROLE ${service}_owner`);
    await ask(before.adminUrl, `CREATE DATABASE ${service} OWNER ${service}`);
    await ask(before.adminUrl, `REVOKE ALL ON DATABASE ${service} FROM PUBLIC`);
    applyOld(folder, service, own);
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

  after = await startStores({ dataDir });
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

test('on a given server each service gets an owner and an application role, and existing objects are taken over', async () => {
  const server = await startStores();
  try {
    const as = (database: string): string => withRole(withDatabase(server.adminUrl, database), 'operator', 'of the test');
    await ask(server.adminUrl, `CREATE ROLE operator LOGIN CREATEROLE CREATEDB PASSWORD 'of the test'`);
    for (const service of databaseServices) {
      await ask(server.adminUrl, `CREATE DATABASE site_${service} OWNER operator`);
      applyOld(folder, service, as(`site_${service}`));
    }
    const stores = await startStores({ given: { databaseUrl: as('site'), redisUrl: server.redisUrl } });
    expect(await migrate(stores.migrationTargets())).toEqual(migrationsSince());
    for (const service of databaseServices) {
      expect([roleOf(stores.postgresUrl(service)), roleOf(stores.ownerUrl(service))]).toEqual([`site_${service}`, `site_${service}_owner`]);
      expect(await ownedBy(stores.postgresUrl(service), `site_${service}`)).toEqual([]);
      expect(await ownedBy(stores.postgresUrl(service), 'operator')).toEqual([]);
    }
    await stores.stop();
  } finally {
    await server.stop();
  }
});
