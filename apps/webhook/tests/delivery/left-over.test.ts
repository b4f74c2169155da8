import { waitUntil } from '@market-state/testing';
import { insertAttempts } from '../../src/store/attempts';
import { claimDue, listUncharged, sendAgain } from '../../src/store/deliveries';
import { type DeliveryUnderTest, openDelivery, TENANT } from './delivery-under-test';
import { status } from './receivers';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(async () => {
  expect(delivery.receivers.faults).toEqual([]);
  await delivery.reset();
}, 60_000);
afterAll(() => delivery.close(), 60_000);

const claimedTotal = async (): Promise<number> =>
  (await delivery.pool.query('SELECT FROM delivery WHERE claimed_by IS NOT NULL')).rowCount ?? 0;

test('claims of a dead worker are released if their deliveries have ended, and the queue is idle', async () => {
  await delivery.endpoint('/gone');
  await delivery.report(4);
  await delivery.pool.query(
    `UPDATE delivery SET status = 'endpoint_disabled', due_ms = NULL, claimed_by = 'worker_gone', claimed_ms = $1`,
    [Date.now() - 61_000],
  );
  await delivery.startWorker();
  await waitUntil('the claims', async () => (await claimedTotal()) === 0);
  await waitUntil('the queue', async () => {
    const { rows } = await delivery.pool.query<{ next_due_ms: string | null; rung_ms: string | null }>('SELECT * FROM lane');
    return rows.every((queue) => queue.next_due_ms === null && queue.rung_ms === null);
  });
  expect(delivery.receivers.received).toEqual([]);
});

test('what arrived once stays delivered, and is charged, though it is sent again in vain', async () => {
  const endpointId = await delivery.endpoint('/again');
  await delivery.report(1);
  await delivery.startWorker({ hurry: 10_000_000, claimMs: 3_000 });
  await waitUntil('the delivery', async () => (await delivery.statuses()).delivered === 1);
  const { rows } = await delivery.pool.query<{ delivery_id: string; message_id: string }>('SELECT delivery_id, message_id FROM delivery');
  const [first] = rows;
  const [deliveryId, messageId] = [first?.delivery_id ?? '', first?.message_id ?? ''];
  delivery.ledger.charged.clear();
  // The success is outside the breaker's window, so the tenth failure opens it and all ten attempts pass.
  delivery.time.shiftMs = 301_000;
  delivery.receivers.set('/again', status(500));
  await sendAgain(
    delivery.pool,
    { deliveryId, messageId, endpointId, tenantId: TENANT, eventKind: 'alert.triggered', credits: 1 },
    Date.now(),
  );
  await delivery.pool.query('UPDATE lane SET next_due_ms = 1');
  await waitUntil('the end', async () => (await delivery.statuses()).delivered === 1 && delivery.receivers.at('/again').length === 11);
  await waitUntil('the charge', () => delivery.ledger.charged.has(deliveryId));
  expect((await delivery.pool.query(`SELECT FROM message WHERE event_kind = 'message.exhausted'`)).rowCount).toBe(0);
});

test('a tenant without credits does not keep the charges of others waiting', async () => {
  await delivery.endpoint('/one');
  await delivery.endpoint('/two', undefined, { tenantId: 'ten_two' });
  await delivery.report(5);
  await delivery.report(1, { tenantId: 'ten_two' });
  await delivery.pool.query(`UPDATE delivery SET status = 'delivered', updated_ms = CASE WHEN tenant_id = $1 THEN 1 ELSE 2 END`, [TENANT]);
  const found = await listUncharged(delivery.pool, 3, 2);
  expect(found.map(({ tenantId }) => tenantId).sort()).toEqual([TENANT, 'ten_two'].sort());
});

test('a delivery whose endpoint is deleted before it is sent is given up', async () => {
  const endpointId = await delivery.endpoint('/deleted');
  await delivery.report(1);
  let isDeleted = false;
  delivery.ledger.credits.hold = async () => {
    await delivery.pool.query(`UPDATE delivery SET status = 'endpoint_deleted', due_ms = NULL`);
    for (const table of ['lane', 'endpoint']) await delivery.pool.query(`DELETE FROM ${table} WHERE endpoint_id = $1`, [endpointId]);
    isDeleted = true;
    return undefined;
  };
  await delivery.startWorker();
  await waitUntil('the end', async () => isDeleted && (await claimedTotal()) === 0);
  expect(await delivery.statuses()).toEqual({ endpoint_deleted: 1 });
  expect(delivery.receivers.received).toEqual([]);
});

test('a receipt written again after an unknown outcome is one receipt', async () => {
  const endpointId = await delivery.endpoint('/twice');
  await delivery.report(1);
  const nowMs = Date.now() + 1;
  const claimant = { worker: 'worker_one', nowMs, claimedBeforeMs: 0 };
  const [claimed] = await claimDue(delivery.pool, [{ endpointId, limit: 1, taskLimit: 0, isDigest: false }], claimant);
  if (claimed === undefined) throw new Error('nothing was claimed');
  const made = {
    attemptId: 'att_one',
    delivery: claimed,
    startedMs: nowMs,
    durationMs: 1,
    status: 500,
    outcome: 'status_500',
    snippet: '',
    reason: '',
    testTarget: true,
    nextDueMs: nowMs + 5,
  };
  expect(await insertAttempts(delivery.pool, [made], claimant)).toEqual(new Map([['att_one', { isReleased: true, isExhausted: false }]]));
  expect(await insertAttempts(delivery.pool, [made], claimant)).toEqual(new Map());
  const { rows } = await delivery.pool.query('SELECT attempts, schedule_step FROM delivery');
  expect(rows).toEqual([{ attempts: 1, schedule_step: 1 }]);
});
