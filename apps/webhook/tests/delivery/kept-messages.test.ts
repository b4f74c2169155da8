import { waitUntil } from '@market-state/testing';
import { createForgetting } from '../../src/delivery/run-maintenance';
import { forgetBodies, forgetMessages } from '../../src/store/maintenance';
import { planOf } from '../plan-of';
import { type DeliveryUnderTest, openDelivery, TENANT } from './delivery-under-test';
import { ok } from './receivers';

const DAY_MS = 86_400_000;

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await openDelivery();
}, 60_000);
afterEach(async () => {
  expect(delivery.receivers.faults).toEqual([]);
  await delivery.reset();
}, 60_000);
afterAll(() => delivery.close(), 60_000);

const total = async (table: string): Promise<number> => (await delivery.pool.query(`SELECT FROM ${table}`)).rowCount ?? 0;

async function occasions(): Promise<string[]> {
  const { rows } = await delivery.pool.query<{ occasion: string }>('SELECT occasion FROM message ORDER BY position');
  return rows.map(({ occasion }) => occasion);
}

test('a message goes with its deliveries 30 days after its last attempt, and not before', async () => {
  const endpointId = await delivery.endpoint('/a');
  delivery.receivers.set('/a', ok);
  await delivery.startWorker();
  const startMs = -60 * DAY_MS;
  delivery.time.shiftMs = startMs;
  await delivery.report(1, { occasion: 'sent once' });
  await delivery.report(1, { occasion: 'without receivers', tenantId: 'ten_alone' });
  await waitUntil('the first attempts', async () => (await delivery.statuses()).delivered === 1);
  delivery.time.shiftMs = startMs + 13 * DAY_MS;
  await delivery.pool.query('UPDATE delivery SET due_ms = 1, charged = true');
  await delivery.pool.query('UPDATE lane SET next_due_ms = 1 WHERE endpoint_id = $1', [endpointId]);
  await waitUntil('one more attempt', async () => (await total('attempt')) === 2);

  delivery.time.shiftMs = startMs + 30 * DAY_MS;
  await waitUntil('the unsent message is gone', async () => (await occasions()).length === 1);
  await waitUntil('the first receipt is gone', async () => (await total('attempt')) === 1);
  delivery.time.shiftMs = startMs + 42 * DAY_MS;
  await delivery.report(1, { occasion: 'a later one', tenantId: 'ten_alone' });
  delivery.time.shiftMs = startMs + 43 * DAY_MS - 3_600_000;
  expect(await occasions()).toEqual(['sent once', 'a later one']);
  expect(await total('delivery')).toBe(1);
  delivery.time.shiftMs = startMs + 43 * DAY_MS + 3_600_000;
  await waitUntil('all of it is gone', async () => (await total('delivery')) === 0);
  expect(await occasions()).toEqual(['a later one']);
});

describe('of old, emptied messages', () => {
  const NOW_MS = 100 * DAY_MS;

  async function add(name: string, set = '', with_ = ''): Promise<void> {
    await delivery.pool.query(
      `INSERT INTO message (message_id, tenant_id, position, event_kind, occasion, symbol, created_ms)
       VALUES ($1, $2, (SELECT count(*) FROM message), 'alert.triggered', $1, '', 1)`,
      [name, TENANT],
    );
    await delivery.pool.query(
      `INSERT INTO delivery (delivery_id, message_id, endpoint_id, tenant_id, event_kind, status, schedule_step, attempts, credits, charged, created_ms,
         updated_ms) VALUES ('dlv_' || $1, $1, 'we_one', $2, 'alert.triggered', 'delivered', 0, 1, 1, true, 1, 1)`,
      [name, TENANT],
    );
    if (set !== '') await delivery.pool.query(`UPDATE delivery SET ${set} WHERE message_id = $1`, [name]);
    if (with_ !== '') await delivery.pool.query(with_);
  }

  test('those stay whose delivery is open, is to be charged, counts to a task or has a receipt', async () => {
    await add('waits', `status = 'waiting', due_ms = ${NOW_MS + 1}`);
    await add('is claimed', `claimed_by = 'worker_one', claimed_ms = ${NOW_MS}`);
    await add('is to be charged', 'charged = false');
    await add('was free', 'charged = false, credits = 0');
    await add('ended', `status = 'exhausted', charged = false`);
    await add(
      'counts to a task',
      `task_id = 'tsk_one'`,
      `INSERT INTO task (task_id, tenant_id, endpoint_id, kind, since_ms, until_ms, after_position, is_complete, found, created_ms, finished_ms)
       VALUES ('tsk_one', '${TENANT}', 'we_one', 'recover', 1, 1, 0, true, 1, 1, ${70 * DAY_MS})`,
    );
    await add('counted to a task', `task_id = 'tsk_gone'`);
    await add(
      'has a receipt',
      '',
      `INSERT INTO attempt (attempt_id, delivery_id, message_id, endpoint_id, tenant_id, event_kind, number, started_ms, duration_ms, status, outcome,
         snippet, test_target) VALUES ('att_one', 'dlv_has a receipt', 'has a receipt', 'we_one', '${TENANT}', 'alert.triggered', 1, ${70 * DAY_MS}, 1, 200,
         'ok', '', true)`,
    );
    const forget = createForgetting(delivery.pool);
    await forget(NOW_MS);
    const open = ['waits', 'is claimed', 'is to be charged'];
    expect(await occasions()).toEqual([...open, 'counts to a task', 'has a receipt']);
    expect(await total('delivery')).toBe(5);
    await forget(NOW_MS + 1);
    expect(await occasions()).toEqual(open);
    expect([await total('task'), await total('attempt')]).toEqual([0, 0]);
  });

  test('a step examines a bounded number, and retained messages do not block it', async () => {
    for (const name of ['a1', 'a2', 'a3']) await add(name, 'charged = false');
    for (const name of ['b1', 'b2', 'b3']) await add(name);
    const step = (after: Awaited<ReturnType<typeof forgetMessages>>) => forgetMessages(delivery.pool, { beforeMs: 2, after, limit: 2 });
    const first = await step(undefined);
    expect(first).toEqual({ createdMs: 1, messageId: 'a2' });
    const second = await step(first);
    expect([second, await occasions()]).toEqual([{ createdMs: 1, messageId: 'b1' }, ['a1', 'a2', 'a3', 'b2', 'b3']]);
    const third = await step(second);
    expect([await step(third), await occasions()]).toEqual([undefined, ['a1', 'a2', 'a3']]);
    await delivery.pool.query('UPDATE delivery SET charged = true');
    const forget = createForgetting(delivery.pool);
    await forget(NOW_MS);
    expect([await occasions(), await total('delivery')]).toEqual([[], 0]);
  });

  test('maintenance finds its rows by index', async () => {
    const bodies = await planOf(delivery.pool, (on) => forgetBodies(on, NOW_MS, 10));
    expect(bodies).toContain('message_with_body_idx');
    const messages = await planOf(delivery.pool, (on) => forgetMessages(on, { beforeMs: NOW_MS, after: undefined, limit: 10 }));
    expect(messages).toContain('message_without_body_idx');
  });
});

test('an occasion is not sent again once its body is gone', async () => {
  const body = async () => (await delivery.pool.query('SELECT FROM message WHERE data IS NOT NULL OR meta IS NOT NULL')).rowCount;
  await delivery.report(1, { occasion: 'once' });
  await forgetBodies(delivery.pool, Date.now() + DAY_MS, 10);
  expect(await body()).toBe(0);
  await delivery.report(1, { occasion: 'once' });
  expect(await occasions()).toEqual(['once']);
  expect(await body()).toBe(0);
});
