import { silentLogger } from '@market-state/logging';
import { createPool, isTransientDatabaseError } from '@market-state/postgres';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import { Client, type Pool } from 'pg';

let stores: TestStores;
let pool: Pool;
let admin: Client;

beforeAll(async () => {
  stores = await startStores({ services: ['account'] });
  pool = createPool({ url: stores.postgresUrl('account'), logger: silentLogger(), applicationName: 'test' });
  admin = new Client({ connectionString: stores.postgresUrl('account') });
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await pool.end();
  await stores.stop();
});

test('a connection that the server ends under a query is a failure that passes', async () => {
  const requested = pool.query("SELECT pg_sleep(20)::text, 'to be ended'").then(
    () => undefined,
    (error: unknown) => error,
  );
  await waitUntil('the query among those that run', async () => {
    const { rowCount } = await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%to be ended%' AND pid <> pg_backend_pid()",
    );
    return rowCount === 1;
  });
  const error = await requested;
  expect(error).toBeInstanceOf(Error);
  expect(isTransientDatabaseError(error)).toBe(true);
});

test('a statement that is wrong is none', async () => {
  const error: unknown = await pool.query('SELECT nothing FROM nowhere').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(isTransientDatabaseError(error)).toBe(false);
});
