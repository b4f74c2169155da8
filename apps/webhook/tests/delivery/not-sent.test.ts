import { waitUntil } from '@market-state/testing';
import { type DeliveryUnderTest, openDelivery } from './delivery-under-test';
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

const outcomes = async () =>
  (
    await delivery.pool.query<{ outcome: string; next: string | null }>(
      'SELECT outcome, next_attempt_ms AS next FROM attempt ORDER BY number',
    )
  ).rows;

test('nothing is sent with a sealed secret of which a bit was flipped; receipts say so, and the last of ten ends it', async () => {
  const endpointId = await delivery.endpoint('/a');
  await delivery.pool.query(`UPDATE endpoint_secret SET sealed = overlay(sealed placing 'AAAA' from 12) WHERE endpoint_id = $1`, [
    endpointId,
  ]);
  await delivery.startWorker({ hurry: 1_000_000 });
  await delivery.report(1);
  await waitUntil('the end', async () => (await delivery.statuses()).exhausted === 1);
  expect(delivery.receivers.received).toEqual([]);
  const receipts = await outcomes();
  expect(receipts.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'secret_unreadable'));
  expect(receipts.at(-1)?.next).toBeNull();
  expect((await delivery.pool.query('SELECT status, failing_since_ms FROM endpoint')).rows).toEqual([
    { status: 'live', failing_since_ms: null },
  ]);
  expect(delivery.ledger.charged.size).toBe(0);
}, 60_000);

test('a message whose body is no longer kept ends at once', async () => {
  await delivery.endpoint('/a');
  await delivery.report(1);
  await delivery.pool.query('UPDATE message SET data = NULL, meta = NULL');
  await delivery.startWorker();
  await waitUntil('the end', async () => (await delivery.statuses()).exhausted === 1);
  expect(await outcomes()).toEqual([{ outcome: 'body_gone', next: null }]);
  expect(delivery.receivers.received).toEqual([]);
  expect(delivery.ledger.charged.size).toBe(0);
});

test('after ten attempts a message is exhausted, reported once to the other endpoint and to polling', async () => {
  const failing = await delivery.endpoint('/bad', status(500), { tenantId: 'ten_two' });
  await delivery.endpoint('/other', ok, { tenantId: 'ten_two' });
  await delivery.pool.query(`DELETE FROM endpoint_topic WHERE event_kind = 'alert.triggered' AND endpoint_id <> $1`, [failing]);
  await delivery.startWorker({ hurry: 10_000_000 });
  await delivery.report(1, { tenantId: 'ten_two' });
  // The breaker opens at the tenth failure and does not affect the other endpoint.
  await waitUntil('the notice', () => delivery.receivers.at('/other').length === 1);
  expect(delivery.receivers.at('/bad')).toHaveLength(10);
  const { rows } = await delivery.pool.query(`SELECT message_id FROM message WHERE event_kind = 'alert.triggered'`);
  const [notice] = delivery.receivers.at('/other');
  expect(notice?.body).toMatchObject({
    type: 'message.exhausted',
    data: { endpoint_id: failing, message_id: rows[0].message_id, event_kind: 'alert.triggered', last_class: 'status_500' },
    meta: { schema: 'market_state_webhook.v1', synthetic: false },
  });
  expect((await delivery.pool.query(`SELECT FROM message WHERE event_kind = 'message.exhausted'`)).rowCount).toBe(1);
  await waitUntil('both ends', async () => (await delivery.statuses()).delivered === 1);
  expect(await delivery.statuses()).toEqual({ exhausted: 1, delivered: 1 });
}, 60_000);
