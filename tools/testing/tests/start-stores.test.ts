import Redis from 'ioredis';
import { Client } from 'pg';
import { startStores } from '../src/index';
import type { TestStores } from '../src/index';

let stores: TestStores;
beforeAll(async () => {
  stores = await startStores({ services: ['account'] });
});
afterAll(() => stores.stop());

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a service gets its migrated database, with its own role', async () => {
  const [row] = await ask(
    stores.postgresUrl('account'),
    `SELECT current_user::text AS role, to_regclass('api_key') IS NOT NULL AS migrated`,
  );
  expect(row).toEqual({ role: 'account', migrated: true });
});

test('two callers are isolated from each other', async () => {
  const other = await startStores({ services: ['account'] });
  const [mine, theirs] = [new Redis(stores.redisUrl), new Redis(other.redisUrl)];
  await mine.set('key', 'value');
  await ask(stores.ownerUrl('account'), 'CREATE TABLE only_here (id int)');
  expect(await theirs.get('key')).toBeNull();
  expect(await ask(other.ownerUrl('account'), `SELECT to_regclass('only_here') AS found`)).toEqual([{ found: null }]);
  mine.disconnect();
  theirs.disconnect();
  await other.stop();
});

test('an empty database is empty', async () => {
  const tables = await ask(await stores.emptyDatabaseUrl(), `SELECT 1 FROM pg_tables WHERE schemaname = 'public'`);
  expect(tables).toEqual([]);
});

test('a database that was not requested is rejected by name', () => {
  expect(() => stores.postgresUrl('labeling')).toThrow('labeling');
});
