import { waitUntil } from '@market-state/testing';
import { type DeliveryUnderTest, openDelivery } from './delivery-under-test';
import { ok, status } from './receivers';

const HOUR_MS = 3_600_000;

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(async () => {
  expect(delivery.receivers.faults).toEqual([]);
  await delivery.reset();
}, 60_000);
afterAll(() => delivery.close(), 60_000);

test('an endpoint that failed for 120 hours is disabled, and the other endpoint is notified', async () => {
  const failing = await delivery.endpoint('/bad', status(500));
  await delivery.endpoint('/other');
  await delivery.pool.query(`DELETE FROM endpoint_topic WHERE event_kind = 'alert.triggered' AND endpoint_id <> $1`, [failing]);
  // Set without secrets: deliveries dated this far back would fail verification.
  delivery.receivers.set('/bad', status(500));
  delivery.time.shiftMs = -121 * HOUR_MS;
  await delivery.startWorker({ hurry: 1 });
  await delivery.report(2);
  await waitUntil('two receipts', async () => (await delivery.pool.query('SELECT FROM attempt')).rowCount === 2);
  expect((await delivery.pool.query('SELECT FROM endpoint WHERE status <> $1', ['live'])).rowCount).toBe(0);
  delivery.time.shiftMs = 0;
  await waitUntil('the notice', () => delivery.receivers.at('/other').length === 1);
  expect(delivery.receivers.at('/other')[0]?.body).toMatchObject({
    type: 'endpoint.disabled',
    data: { endpoint_id: failing, reason: 'failing_120h' },
    meta: { schema: 'market_state_webhook.v1' },
  });
  const { rows } = await delivery.pool.query('SELECT status, disabled_reason FROM endpoint WHERE endpoint_id = $1', [failing]);
  expect(rows).toEqual([{ status: 'disabled', disabled_reason: 'failing_120h' }]);
  await waitUntil('the end of all', async () => (await delivery.statuses()).delivered === 1);
  expect(await delivery.statuses()).toEqual({ delivered: 1, endpoint_disabled: 2 });
});

test('failures of one message alone disable nothing, however long', async () => {
  await delivery.endpoint('/bad', status(500));
  delivery.receivers.set('/bad', status(500));
  delivery.time.shiftMs = -121 * HOUR_MS;
  await delivery.startWorker({ hurry: 1 });
  await delivery.report(1);
  await waitUntil('a receipt', async () => (await delivery.pool.query('SELECT FROM attempt')).rowCount === 1);
  delivery.time.shiftMs = 0;
  await waitUntil('the second', async () => (await delivery.pool.query('SELECT FROM attempt')).rowCount === 2);
  expect((await delivery.pool.query('SELECT status FROM endpoint')).rows).toEqual([{ status: 'live' }]);
});

test('an endpoint is tried again when it asks to be, in twice the planned wait at most, and after 429 in a minute at least', async () => {
  const requested = [
    { path: '/soon', code: 503, after: '8', waitMs: 8_000 },
    { path: '/later', code: 503, after: '3600', waitMs: 10_000 },
    { path: '/often', code: 429, after: '7', waitMs: 60_000 },
  ];
  const waits = new Map<string, number>();
  for (const { path, code, after, waitMs } of requested)
    waits.set(await delivery.endpoint(path, status(code, { 'retry-after': after })), waitMs);
  await delivery.startWorker({ hurry: 1 });
  await delivery.report(1);
  await waitUntil('the receipts', async () => (await delivery.pool.query('SELECT FROM attempt')).rowCount === requested.length);
  const { rows } = await delivery.pool.query<{ id: string; wait: number }>(
    'SELECT endpoint_id AS id, (due_ms - updated_ms)::int AS wait FROM delivery',
  );
  expect(new Map(rows.map(({ id, wait }) => [id, wait]))).toEqual(waits);
});

test('a message that found no credit for a day is not sent any more, and stays for those who pull', async () => {
  await delivery.endpoint('/a');
  delivery.ledger.give(0);
  await delivery.startWorker({ hurry: 1 });
  await delivery.report(1);
  await waitUntil('a delivery without credits', async () => (await delivery.statuses()).held_no_credits === 1);
  delivery.time.shiftMs = 24 * HOUR_MS;
  await waitUntil('the end', async () => (await delivery.statuses()).not_paid === 1);
  expect(delivery.receivers.received).toEqual([]);
  expect((await delivery.pool.query('SELECT FROM message WHERE data IS NOT NULL')).rowCount).toBe(1);
  expect((await delivery.pool.query('SELECT FROM delivery WHERE due_ms IS NULL AND claimed_by IS NULL')).rowCount).toBe(1);
});

test('bodies are forgotten after 14 days, receipts after 30, secrets when they expire', async () => {
  const endpointId = await delivery.endpoint('/a');
  await delivery.startWorker();
  delivery.time.shiftMs = -14 * 24 * HOUR_MS - HOUR_MS;
  delivery.receivers.set('/a', ok);
  await delivery.report(1);
  await waitUntil('the old delivery', async () => (await delivery.statuses()).delivered === 1);
  delivery.time.shiftMs = -HOUR_MS;
  await delivery.report(1);
  await waitUntil('the later one', async () => (await delivery.statuses()).delivered === 2);
  await delivery.pool.query('UPDATE endpoint_secret SET expires_ms = $1', [Date.now() - 1]);
  await delivery.addSecret(endpointId, 2);
  delivery.time.shiftMs = 0;
  const left = async (statement: string) => (await delivery.pool.query(statement)).rowCount;
  await waitUntil('one body less', async () => (await left('SELECT FROM message WHERE data IS NULL AND meta IS NULL')) === 1);
  await waitUntil('the end of the old secret', async () => (await left('SELECT FROM endpoint_secret')) === 1);
  expect(await left('SELECT FROM message WHERE data IS NOT NULL')).toBe(1);
  expect(await left('SELECT FROM attempt')).toBe(2);
  delivery.time.shiftMs = 16 * 24 * HOUR_MS;
  await waitUntil('one receipt less', async () => (await left('SELECT FROM attempt')) === 1);
  await waitUntil('the other body', async () => (await left('SELECT FROM message WHERE data IS NULL')) === 2);
});

test('an unconfirmed charge is repeated', async () => {
  await delivery.endpoint('/a');
  await delivery.startWorker();
  await delivery.report(1);
  await waitUntil('the credit', () => delivery.ledger.charged.size === 1);
  delivery.time.shiftMs = 61_000;
  const { rows } = await delivery.pool.query<{ id: string }>('SELECT delivery_id AS id FROM delivery');
  await waitUntil('the charge again', () => (delivery.ledger.charged.get(rows[0]?.id ?? '') ?? 0) >= 2);
  expect(delivery.ledger.charged.size).toBe(1);
});
