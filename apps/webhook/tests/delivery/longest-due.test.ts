import { waitUntil } from '@market-state/testing';
import { findLongestDue } from '../../src/store/maintenance';
import { type DeliveryUnderTest, openDelivery } from './delivery-under-test';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(() => delivery.reset(), 60_000);
afterAll(() => delivery.close(), 60_000);

test('what is due longest is measured apart for endpoints that are slow or closed off, and not for those that are disabled', async () => {
  const nowMs = Date.now();
  const due = async (path: string, agoMs: number, change = '', status = 'live'): Promise<void> => {
    const endpointId = await delivery.endpoint(path, undefined, { status });
    await delivery.pool.query(`UPDATE lane SET next_due_ms = $2 ${change} WHERE endpoint_id = $1`, [endpointId, nowMs - agoMs]);
  };
  expect(await findLongestDue(delivery.pool, nowMs)).toEqual({ healthyS: 0, troubledS: 0 });
  await due('/later', -5_000);
  await due('/well', 2_000);
  await due('/better', 500);
  await due('/slow', 40_000, ', slow = true');
  await due('/closed', 70_000, `, breaker_until_ms = ${nowMs + 1_000}`);
  await due('/gone', 900_000, '', 'disabled');
  expect(await findLongestDue(delivery.pool, nowMs)).toEqual({ healthyS: 2, troubledS: 70 });
  expect(await findLongestDue(delivery.pool, nowMs + 1_000)).toEqual({ healthyS: 71, troubledS: 41 });
});

test('a worker says what is due, and when it is sent that nothing is', async () => {
  await delivery.endpoint('/a');
  await delivery.report(3);
  const { opsPort } = await delivery.startWorker();
  await waitUntil('the deliveries', async () => (await delivery.statuses()).delivered === 3);
  await waitUntil('nothing due', async () => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    return /^webhook_oldest_due_seconds\{lane="healthy",service="webhook-worker"\} 0$/m.test(text);
  });
});
