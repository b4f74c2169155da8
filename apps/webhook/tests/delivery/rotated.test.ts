import { parseTestTargets } from '@market-state/guarded-http';
import { silentLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import { openSecret } from '@market-state/webhook-signing';
import { createTargetCheck } from '../../src/endpoints/destination';
import type { EndpointDeps } from '../../src/endpoints/endpoint';
import { createSecrets } from '../../src/endpoints/secrets';
import { rotateSecret } from '../../src/rpc/endpoints';
import { type DeliveryUnderTest, openDelivery, TENANT } from './delivery-under-test';
import { ok } from './receivers';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(async () => {
  expect(delivery.receivers.faults).toEqual([]);
  await delivery.reset();
}, 60_000);
afterAll(() => delivery.close(), 60_000);

test('of 24 messages around a rotation each is verified by the old secret, by both, then by the new one alone', async () => {
  const { pool, keys, receivers } = delivery;
  const targets = createTargetCheck(parseTestTargets('localhost:*=127.0.0.0/8').targets);
  const deps = { pool, secrets: createSecrets(keys), targets, clock: Date.now, logger: silentLogger() } as unknown as EndpointDeps;
  const endpointId = await delivery.endpoint('/a');
  const { rows } = await pool.query<{ sealed: string }>('SELECT sealed FROM endpoint_secret');
  const before = openSecret(rows[0]?.sealed ?? '', { keys, endpointId });
  const delivered = (total: number) => waitUntil(`${total}`, async () => (await delivery.statuses()).delivered === total);
  await delivery.startWorker();
  await delivery.report(8);
  await waitUntil('the first', () => receivers.received.length >= 3);
  const { secret } = await rotateSecret(deps, { tenantId: TENANT, endpointId, graceHours: 24 });
  await delivered(8);
  receivers.set('/a', ok, before, secret);
  await delivery.report(8);
  await delivered(16);
  expect(receivers.received.slice(8).every(({ signatures }) => signatures === 2)).toBe(true);
  await pool.query('UPDATE endpoint_secret SET expires_ms = $1 WHERE expires_ms IS NOT NULL', [Date.now() - 1]);
  receivers.set('/a', ok, secret);
  await delivery.report(8);
  await delivered(24);
  expect(receivers.received.slice(16).every(({ signatures }) => signatures === 1)).toBe(true);
}, 90_000);
