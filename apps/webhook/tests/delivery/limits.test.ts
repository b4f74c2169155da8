import type { ServerResponse } from 'node:http';
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

/** Holds responses back and tracks the peak of concurrent ones. */
function openGate() {
  const held: ServerResponse[] = [];
  return {
    held,
    behaviour: (response: ServerResponse): void => void held.push(response),
    answerFirst(): number {
      held.shift()?.writeHead(204).end();
      return 1;
    },
    answerAll: () => held.splice(0).forEach((response) => response.writeHead(204).end()),
  };
}

test('a tenant has 16 attempts at a time, an endpoint 4, with two workers; all endpoints get their turn', async () => {
  const gate = openGate();
  const paths = Array.from({ length: 6 }, (_, index) => `/${index}`);
  for (const path of paths) await delivery.endpoint(path, gate.behaviour);
  await delivery.startWorker();
  await delivery.startWorker();
  await delivery.report(8);
  let most = 0;
  await waitUntil('48 deliveries', async () => {
    const { rows } = await delivery.pool.query<{ of_tenant: number; of_endpoint: number }>(
      `SELECT coalesce(sum(total), 0)::int AS of_tenant, coalesce(max(total), 0)::int AS of_endpoint
         FROM (SELECT count(*) AS total FROM delivery WHERE claimed_ms IS NOT NULL GROUP BY endpoint_id) AS claimed`,
    );
    expect(rows[0]?.of_endpoint).toBeLessThanOrEqual(4);
    expect(rows[0]?.of_tenant).toBeLessThanOrEqual(16);
    most = Math.max(most, gate.held.length);
    gate.answerAll();
    return (await delivery.statuses()).delivered === 48;
  });
  expect(most).toBeLessThanOrEqual(16);
  for (const path of paths) expect(delivery.receivers.at(path)).toHaveLength(8);
  expect(delivery.ledger.charged.size).toBe(48);
  expect([...delivery.ledger.charged.values()].every((times) => times === 1)).toBe(true);
}, 60_000);

test('an endpoint whose tenant has all places in use is not forgotten', async () => {
  const gate = openGate();
  for (let index = 0; index < 4; index++) await delivery.endpoint(`/${index}`, gate.behaviour);
  await delivery.startWorker();
  await delivery.report(12);
  await waitUntil('16 attempts', () => gate.held.length === 16);
  const last = await delivery.endpoint('/last');
  await delivery.report(1, { onlyEndpointId: last });
  let answered = 0;
  await waitUntil('the last endpoint', () => {
    // Frees one slot at a time, taken before the next is freed.
    if (gate.held.length === 16) answered += gate.answerFirst();
    return delivery.receivers.at('/last').length === 1;
  });
  expect(answered).toBeLessThan(48);
  await waitUntil('the others', async () => {
    gate.answerAll();
    return (await delivery.statuses()).delivered === 49;
  });
}, 60_000);

test('a breaker that opens holds attempts back without counting them, then lets one probe through', async () => {
  const gate = openGate();
  await delivery.endpoint('/bad', status(500));
  await delivery.startWorker();
  await delivery.report(12);
  const untilMs = await waitUntil('an open breaker', async () => {
    const { rows } = await delivery.pool.query<{ until: string }>('SELECT breaker_until_ms AS until FROM lane');
    return Number(rows[0]?.until) || undefined;
  });
  await waitUntil('no claim', async () => (await delivery.pool.query('SELECT FROM delivery WHERE claimed_ms IS NOT NULL')).rowCount === 0);
  const made = delivery.receivers.received.length;
  expect(made).toBeLessThanOrEqual(13);
  await delivery.report(1);
  await waitUntil(
    'the answer to its wake-up',
    async () => (await delivery.pool.query('SELECT FROM lane WHERE rung_ms IS NULL')).rowCount === 1,
  );
  expect((await delivery.pool.query('SELECT FROM lane WHERE next_due_ms >= $1', [untilMs])).rowCount).toBe(1);
  expect(delivery.receivers.received).toHaveLength(made);
  expect((await delivery.pool.query('SELECT sum(attempts)::int AS made FROM delivery')).rows).toEqual([{ made }]);
  delivery.receivers.set('/bad', gate.behaviour);
  delivery.time.shiftMs = 31_000;
  await waitUntil('the probe', () => gate.held.length === 1);
  await delivery.report(1);
  await waitUntil(
    'the answer to its wake-up',
    async () => (await delivery.pool.query('SELECT FROM lane WHERE rung_ms IS NULL')).rowCount === 1,
  );
  expect(gate.held).toHaveLength(1);
  delivery.receivers.set('/bad', ok);
  gate.answerAll();
  await waitUntil('all', async () => (await delivery.statuses()).delivered === 14);
  expect((await delivery.pool.query('SELECT breaker_until_ms::int AS until FROM lane')).rows).toEqual([{ until: 0 }]);
});
