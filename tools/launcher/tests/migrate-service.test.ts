import { migrateService } from '../src/migrate-main';
import { withClient, withDatabase, withRole } from '../src/stores/databases';
import { sharedServer } from './fixtures/shared-server';

let adminUrl: string;

beforeAll(async () => {
  ({ adminUrl } = await sharedServer());
});

const DATABASE = 'one_server_webhook';

function urls(password: string) {
  const database = withDatabase(adminUrl, DATABASE);
  return {
    ADMIN_DATABASE_URL: adminUrl,
    DATABASE_URL: withRole(database, 'one_server_app', password),
    MIGRATION_DATABASE_URL: withRole(database, 'one_server_owner', password),
  };
}

test('an administrator creates database and roles, the owner migrates, and the service only works with rows', async () => {
  const settings = urls('first');
  expect((await migrateService('webhook', settings)).length).toBeGreaterThan(0);
  expect(await migrateService('webhook', { ...settings, ADMIN_DATABASE_URL: '' })).toEqual([]);
  await withClient(settings.DATABASE_URL, async (client) => {
    expect((await client.query('SELECT FROM watchlist')).rowCount).toBe(0);
    await expect(client.query('CREATE TABLE mine (id int)')).rejects.toThrow('permission denied');
  });
});

test('passwords follow the URLs of the last run', async () => {
  await migrateService('webhook', urls('first'));
  await migrateService('webhook', urls('second'));
  await expect(withClient(urls('first').DATABASE_URL, async () => undefined)).rejects.toThrow('password');
  await withClient(urls('second').DATABASE_URL, (client) => client.query('SELECT 1'));
});

test('two databases, one role for both, and services without a database are rejected by name', async () => {
  const settings = urls('first');
  const elsewhere = { ...settings, MIGRATION_DATABASE_URL: withDatabase(settings.MIGRATION_DATABASE_URL, 'other') };
  await expect(migrateService('webhook', elsewhere)).rejects.toThrow('MIGRATION_DATABASE_URL: must name the same database');
  await expect(migrateService('webhook', { ...settings, MIGRATION_DATABASE_URL: settings.DATABASE_URL })).rejects.toThrow(
    'MIGRATION_DATABASE_URL: must use a different role',
  );
  await expect(migrateService('webhook', {})).rejects.toThrow('MIGRATION_DATABASE_URL: must be set');
  await expect(migrateService('gateway', settings)).rejects.toThrow('gateway has no database');
  await expect(migrateService('billing', settings)).rejects.toThrow('There is no service billing');
});
