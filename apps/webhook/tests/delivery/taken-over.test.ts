import { waitUntil } from '@market-state/testing';
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

test('what a worker claimed and never finished is sent by another', async () => {
  await delivery.endpoint('/a');
  await delivery.report(4);
  await delivery.pool.query(`UPDATE delivery SET claimed_by = 'worker_gone', claimed_ms = $1`, [Date.now() - 61_000]);
  await delivery.startWorker();
  await waitUntil('the deliveries', async () => (await delivery.statuses()).delivered === 4);
  expect(delivery.receivers.received).toHaveLength(4);
});
