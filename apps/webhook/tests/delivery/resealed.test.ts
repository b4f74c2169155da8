import { randomBytes } from 'node:crypto';
import { waitUntil } from '@market-state/testing';
import { openSecret, sealSecret } from '@market-state/webhook-signing';
import { createSecrets } from '../../src/endpoints/secrets';
import { type DeliveryUnderTest, openDelivery } from './delivery-under-test';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(async () => {
  expect(delivery.receivers.faults).toEqual([]);
  await delivery.reset();
}, 60_000);
afterAll(() => delivery.close(), 60_000);

async function dump(): Promise<string> {
  const { rows } = await delivery.pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
     AND has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT')`,
  );
  expect(rows.length).toBeGreaterThan(15);
  const tables = rows.map(({ name }) =>
    delivery.pool.query<{ text: string | null }>(`SELECT string_agg(t::text, ' ') AS text FROM ${name} AS t`),
  );
  return (await Promise.all(tables)).map((found) => found.rows[0]?.text ?? '').join(' ');
}

test('secrets are resealed while messages are sent; without the old key all is still delivered and verified', async () => {
  const { keys, pool } = delivery;
  const [first, old] = keys;
  if (first === undefined || old === undefined) throw new Error('there are two keys');
  const secrets = new Map<string, string>();
  for (const path of ['/a', '/b', '/c']) {
    const endpointId = await delivery.endpoint(path);
    const { rows } = await pool.query<{ sealed: string }>('SELECT sealed FROM endpoint_secret WHERE endpoint_id = $1', [endpointId]);
    const secret = openSecret(rows[0]?.sealed ?? '', { keys, endpointId });
    secrets.set(endpointId, secret);
    const sealed = sealSecret(secret, { keys: [old], endpointId, nonce: randomBytes(12) });
    await pool.query('UPDATE endpoint_secret SET sealed = $2 WHERE endpoint_id = $1', [endpointId, sealed]);
  }
  const worker = await delivery.startWorker();
  await delivery.report(10);
  await waitUntil('the first messages', () => delivery.receivers.received.length > 5);
  expect(await createSecrets(keys).resealAll(pool)).toEqual({ keyId: first.id, resealed: 3, unreadable: 0 });
  await waitUntil('all messages', async () => (await delivery.statuses()).delivered === 30);
  await worker.close();
  await delivery.startWorker({}, [first]);
  await delivery.report(3);
  await waitUntil('those after the old key', async () => (await delivery.statuses()).delivered === 39);
  expect((await pool.query(`SELECT FROM attempt WHERE outcome <> 'ok'`)).rowCount).toBe(0);
  const text = await dump();
  expect(text).toContain('one:');
  for (const secret of secrets.values()) expect(text).not.toContain(secret.replace('whsec_', ''));
  expect(text).not.toContain('whsec_');
}, 90_000);
