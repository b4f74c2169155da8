import { waitUntil } from '@market-state/testing';
import { newId } from '../../src/ids';
import { type DeliveryUnderTest, openDelivery, TENANT } from './delivery-under-test';
import { ok, status } from './receivers';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(async () => {
  expect(delivery.receivers.faults).toEqual([]);
  await delivery.reset();
}, 60_000);
afterAll(() => delivery.close(), 60_000);

const order = (endpointId: string, kind: string) =>
  delivery.pool.query(
    `INSERT INTO task (task_id, tenant_id, endpoint_id, kind, since_ms, until_ms, after_position, is_complete, found, created_ms)
     VALUES ($1, $2, $3, $4::task_kind, 0, 9000000000000, 0, false, 0, 1)`,
    [newId('tsk'), TENANT, endpointId, kind],
  );

const enable = (endpointId: string) =>
  delivery.pool.query(`UPDATE endpoint SET status = 'live', disabled_reason = '', updated_ms = $2 WHERE endpoint_id = $1`, [
    endpointId,
    Date.now(),
  ]);

test.each(['recover', 'replay_missing'])('%s sends what an endpoint missed, under the old ids', async (kind) => {
  const endpointId = await delivery.endpoint('/a', status(410));
  await delivery.startWorker();
  await delivery.report(5);
  await waitUntil('the end of all', async () => (await delivery.statuses()).endpoint_disabled === 5);
  delivery.receivers.set('/a', ok, await delivery.addSecret(endpointId, 2));
  await enable(endpointId);
  await order(endpointId, kind);
  await waitUntil('the deliveries', async () => (await delivery.statuses()).delivered === 5);
  const { rows } = await delivery.pool.query('SELECT message_id FROM message WHERE event_kind = $1', ['alert.triggered']);
  expect(rows.map((row) => row.message_id).every((id) => delivery.receivers.received.some((entry) => entry.id === id))).toBe(true);
  await waitUntil(
    'the end of the task',
    async () => (await delivery.pool.query('SELECT FROM task WHERE finished_ms > 0 AND found = 5')).rowCount,
  );
});

test('a 410 of an attempt that began before the endpoint was enabled again leaves it live', async () => {
  const late: (() => void)[] = [];
  const endpointId = await delivery.endpoint('/a', (response) => void late.push(() => response.writeHead(410).end()));
  await delivery.startWorker();
  await delivery.report(2);
  await waitUntil('two attempts', () => late.length === 2);
  late.shift()?.();
  await waitUntil('the end of both', async () => (await delivery.statuses()).endpoint_disabled === 2);
  await enable(endpointId);
  late.shift()?.();
  await waitUntil('the second receipt', async () => (await delivery.pool.query('SELECT FROM attempt')).rowCount === 2);
  const { rows } = await delivery.pool.query('SELECT status FROM endpoint');
  expect(rows).toEqual([{ status: 'live' }]);
});

test('fifty tasks whose messages wait do not hold up the one after them', async () => {
  const stuck = await delivery.endpoint('/stuck', status(503));
  await delivery.pool.query(
    `INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms, data, meta)
     SELECT 'msg_' || n, $1, 1000 + n, 'webhook.test', 'stuck ' || n, '', 0, '{}', '{}' FROM generate_series(1, 50) AS n`,
    [TENANT],
  );
  await delivery.pool.query(
    `INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, due_ms, schedule_step, attempts, credits, charged,
       task_id, created_ms, updated_ms)
     SELECT 'dlv_' || n, 'msg_' || n, $2, $1, 'webhook.test', 'waiting', 9000000000000, 0, 0, 0, true, 'tsk_' || n, 0, 0
     FROM generate_series(1, 50) AS n`,
    [TENANT, stuck],
  );
  await delivery.pool.query(
    `INSERT INTO task (task_id, tenant_id, endpoint_id, kind, since_ms, until_ms, after_position, is_complete, found, created_ms)
     SELECT 'tsk_' || n, $1, $2, 'recover', 0, 9000000000000, 0, true, 1, 0 FROM generate_series(1, 50) AS n`,
    [TENANT, stuck],
  );
  await order(await delivery.endpoint('/b'), 'replay_missing');
  await delivery.startWorker();
  await waitUntil('the end of the task', async () => (await delivery.pool.query('SELECT FROM task WHERE finished_ms > 0')).rowCount);
});

test('a task of an endpoint that is deleted ends, and sends nothing', async () => {
  const endpointId = await delivery.endpoint('/a', status(410));
  await delivery.startWorker();
  await delivery.report(1);
  await waitUntil('the end of it', async () => (await delivery.statuses()).endpoint_disabled === 1);
  await delivery.pool.query('DELETE FROM endpoint WHERE endpoint_id = $1', [endpointId]);
  await order(endpointId, 'recover');
  await waitUntil('the end of the task', async () => (await delivery.pool.query('SELECT FROM task WHERE finished_ms > 0')).rowCount);
  expect(await delivery.statuses()).toEqual({ endpoint_disabled: 1 });
});
