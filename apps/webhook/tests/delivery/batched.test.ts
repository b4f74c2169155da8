import { waitUntil } from '@market-state/testing';
import { type DeliveryUnderTest, openDelivery } from './delivery-under-test';
import { type Behaviour, ok, status } from './receivers';

const TOTAL = 12;
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

/** Endpoints of different tenants, each with a due message. */
async function openMany(behaviour: Behaviour): Promise<string[]> {
  const endpointIds: string[] = [];
  for (let number = 0; number < TOTAL; number++) {
    const tenantId = `ten_${number}`;
    endpointIds.push(await delivery.endpoint(`/${number}`, behaviour, { tenantId }));
    await delivery.report(1, { tenantId });
  }
  return endpointIds;
}

async function disabledReasons(): Promise<Record<string, number>> {
  const { rows } = await delivery.pool.query<{ reason: string; total: number }>(
    `SELECT disabled_reason AS reason, count(*)::int AS total FROM endpoint WHERE status = 'disabled' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ reason, total }) => [reason, total]));
}

async function countDisabledNotices(): Promise<number> {
  return (await delivery.pool.query(`SELECT FROM message WHERE event_kind = 'endpoint.disabled'`)).rowCount ?? 0;
}

test('results of many endpoints share transactions; one whose queue is locked delays no other', async () => {
  const answers: (() => void)[] = [];
  const [lockedId] = await openMany((response, count) => void answers.push(() => ok(response, count)));
  const client = await delivery.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM lane WHERE endpoint_id = $1 FOR UPDATE', [lockedId]);
  await delivery.startWorker();
  // Answered together, so that their results arrive together.
  await waitUntil('the attempts', () => answers.length === TOTAL - 1);
  for (const answer of answers.splice(0)) answer();
  await waitUntil('the others', async () => (await delivery.statuses()).delivered === TOTAL - 1);
  expect(delivery.receivers.at('/0')).toHaveLength(0);
  const { rows } = await delivery.pool.query<{ total: number }>('SELECT count(DISTINCT xmin::text)::int AS total FROM attempt');
  expect(rows[0]?.total).toBeLessThan(TOTAL - 1);
  await client.query('COMMIT');
  client.release();
  await waitUntil('the last attempt', () => answers.length === 1);
  answers[0]?.();
  await waitUntil('all', async () => (await delivery.statuses()).delivered === TOTAL);
  for (let number = 0; number < TOTAL; number++) expect(delivery.receivers.at(`/${number}`)).toHaveLength(1);
  expect([...delivery.ledger.charged.values()]).toEqual(Array.from({ length: TOTAL }, () => 1));
}, 60_000);

test('many endpoints that concurrently answer with 410 are disabled, each reported once', async () => {
  await openMany(status(410));
  await delivery.startWorker();
  await waitUntil('all disabled', async () => (await disabledReasons()).gone_410 === TOTAL);
  expect(await countDisabledNotices()).toBe(TOTAL);
  expect((await delivery.pool.query('SELECT FROM attempt')).rowCount).toBe(TOTAL);
}, 60_000);

test('many endpoints that have failed for 120 hours are disabled, each reported once', async () => {
  await openMany(status(500));
  await delivery.pool.query('UPDATE endpoint SET failing_since_ms = $1, failed_messages = 1', [Date.now() - 121 * HOUR_MS]);
  await delivery.startWorker();
  await waitUntil('all disabled', async () => (await disabledReasons()).failing_120h === TOTAL);
  expect(await countDisabledNotices()).toBe(TOTAL);
  expect((await delivery.pool.query('SELECT FROM attempt')).rowCount).toBe(TOTAL);
  expect((await delivery.pool.query('SELECT FROM delivery WHERE attempts = 1')).rowCount).toBe(TOTAL);
}, 60_000);
