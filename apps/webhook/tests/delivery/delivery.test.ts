import { waitUntil } from '@market-state/testing';
import { type DeliveryUnderTest, openDelivery } from './delivery-under-test';
import { hang, ok, status } from './receivers';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(async () => {
  expect(delivery.receivers.faults).toEqual([]);
  await delivery.reset();
}, 60_000);
afterAll(() => delivery.close(), 60_000);

const attempts = async () =>
  (
    await delivery.pool.query<{ outcome: string; number: number; next: string | null }>(
      'SELECT outcome, number, next_attempt_ms AS next FROM attempt ORDER BY started_ms, number',
    )
  ).rows;

test('every message arrives once, verified by the reference library, and costs one credit', async () => {
  await delivery.endpoint('/a');
  await delivery.startWorker();
  await delivery.startWorker();
  await delivery.report(30);
  await waitUntil('30 deliveries', async () => (await delivery.statuses()).delivered === 30);
  expect(new Set(delivery.receivers.received.map(({ id }) => id)).size).toBe(30);
  expect(delivery.receivers.received).toHaveLength(30);
  await waitUntil('the credits', () => delivery.ledger.charged.size === 30);
  expect((await attempts()).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 30 }, () => 'ok'));
});

test('a failed attempt is made again until it is answered with 2xx, and costs nothing', async () => {
  await delivery.endpoint('/bad', (response, count) => (count <= 2 ? status(500)(response, count) : ok(response, count)));
  const { opsPort } = await delivery.startWorker();
  await delivery.report(1);
  await waitUntil('the delivery', async () => (await delivery.statuses()).delivered === 1);
  expect((await attempts()).map(({ outcome, number }) => `${number} ${outcome}`)).toEqual(['1 status_500', '2 status_500', '3 ok']);
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  expect(metrics).toMatch(/^webhook_due_age_seconds_count(\{.*\})? 3$/m);
  expect(delivery.ledger.charged.size).toBe(1);
});

test('messages of an endpoint go over as many connections as it has places, and those of another endpoint over others', async () => {
  await delivery.endpoint('/a');
  await delivery.endpoint('/b');
  const { opsPort } = await delivery.startWorker();
  await delivery.report(30);
  await waitUntil('60 deliveries', async () => (await delivery.statuses()).delivered === 60);
  expect(delivery.receivers.connections()).toBeLessThanOrEqual(8);
  expect(delivery.receivers.connections()).toBeGreaterThanOrEqual(2);
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^webhook_idle_connections(\\{.*\\})? ${delivery.receivers.connections()}$`, 'm'));
});

test('with a receiver that ends each connection right after its answer there are as many receipts as requests, all of them ok', async () => {
  await delivery.endpoint('/ends', (response) => {
    response.on('finish', () => response.socket?.destroySoon());
    response.writeHead(204).end();
  });
  await delivery.startWorker();
  await delivery.report(30);
  await waitUntil('30 deliveries', async () => (await delivery.statuses()).delivered === 30);
  expect(delivery.receivers.received).toHaveLength(30);
  expect((await attempts()).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 30 }, () => 'ok'));
});

test('410 disables immediately, ends pending deliveries, and notifies the other endpoint', async () => {
  const gone = await delivery.endpoint('/gone', status(410));
  await delivery.endpoint('/other');
  await delivery.startWorker();
  await delivery.report(1);
  await waitUntil('both messages', () => delivery.receivers.at('/other').length === 2);
  expect(
    delivery.receivers
      .at('/other')
      .map(({ body }) => body.type)
      .sort(),
  ).toEqual(['alert.triggered', 'endpoint.disabled']);
  expect(delivery.receivers.at('/gone')).toHaveLength(1);
  const { rows } = await delivery.pool.query('SELECT status, disabled_reason FROM endpoint WHERE endpoint_id = $1', [gone]);
  expect(rows).toEqual([{ status: 'disabled', disabled_reason: 'gone_410' }]);
  await waitUntil('the delivery of both', async () => (await delivery.statuses()).delivered === 2);
  expect(await delivery.statuses()).toEqual({ delivered: 2, endpoint_disabled: 1 });
});

test('a hanging endpoint delays no other', async () => {
  await delivery.endpoint('/hangs', hang, { tenantId: 'ten_two' });
  await delivery.endpoint('/a');
  await delivery.startWorker();
  await delivery.report(8, { tenantId: 'ten_two' });
  await waitUntil('four attempts', () => delivery.receivers.at('/hangs').length === 4);
  await delivery.report(5);
  await waitUntil('the others', () => delivery.receivers.at('/a').length === 5);
  expect(delivery.receivers.at('/hangs')).toHaveLength(4);
}, 60_000);

test('wake-ups that Redis lost are sent again', async () => {
  await delivery.endpoint('/a');
  await delivery.report(3);
  await delivery.flushRedis();
  await delivery.startWorker();
  await waitUntil('the deliveries', async () => (await delivery.statuses()).delivered === 3);
  expect(delivery.receivers.received).toHaveLength(3);
});

test('a tenant with many due does not hold back a message of another', async () => {
  await delivery.endpoint('/many', ok, { tenantId: 'ten_two' });
  await delivery.endpoint('/one');
  await delivery.report(200, { tenantId: 'ten_two' });
  await delivery.report(1);
  await delivery.startWorker();
  await waitUntil('the single message', () => delivery.receivers.at('/one').length === 1);
  expect(delivery.receivers.at('/many').length).toBeLessThan(100);
});

test('a message of which account has no credit waits, and is sent once there is one', async () => {
  await delivery.endpoint('/a');
  delivery.ledger.give(0);
  await delivery.startWorker();
  await delivery.report(1);
  await waitUntil('a delivery without credits', async () => (await delivery.statuses()).held_no_credits === 1);
  expect(delivery.receivers.received).toEqual([]);
  delivery.ledger.give(1);
  await waitUntil('the delivery', async () => (await delivery.statuses()).delivered === 1);
  expect(delivery.ledger.charged.size).toBe(1);
});
