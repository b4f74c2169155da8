import { waitUntil } from '@market-state/testing';
import { ERRORS } from './destination-apis';
import { alertData, type DestinationsUnderTest, openDestinations } from './destinations-under-test';

const MINUTE_MS = 60_000;

let test_: DestinationsUnderTest;
beforeAll(async () => {
  test_ = await openDestinations();
}, 60_000);
afterEach(async () => {
  expect(test_.apis.faults).toEqual([]);
  await test_.reset();
}, 60_000);
afterAll(() => test_.close(), 60_000);

const alert = (name: string) => ({ symbol: 'BTCUSD-PERP', data: alertData('triggered', name) });
const texts = () => test_.apis.at('slack').map((body) => String(body['text']));

/** Moves the clock to the start of a digest of five minutes, so that no boundary falls into a test. */
function startOfDigest(): void {
  test_.time.shiftMs = 5 * MINUTE_MS - (Date.now() % (5 * MINUTE_MS)) + 1_000;
}

test('messages of N minutes are one message, each with a receipt and a credit', async () => {
  startOfDigest();
  await test_.add('slack', { digestMinutes: 5 });
  await test_.startWorker();
  for (let number = 0; number < 30; number += 1) await test_.report(1, alert(`rule ${number}`));
  expect(await test_.statuses()).toEqual({ waiting: 30 });
  expect(test_.apis.received).toEqual([]);
  test_.time.shiftMs += 5 * MINUTE_MS;
  await waitUntil('30 deliveries', async () => (await test_.statuses())['delivered'] === 30);
  expect(texts()).toHaveLength(1);
  const lines = texts()[0]?.split('\n') ?? [];
  expect(lines[0]).toBe('*30 messages about BTCUSD-PERP*');
  expect(lines.filter((line) => line.includes('triggered'))).toHaveLength(20);
  expect(lines.at(-2)).toBe('and 10 more messages: the list of deliveries has all of them');
  expect((await test_.receipts()).map(({ outcome }) => outcome)).toEqual(Array.from({ length: 30 }, () => 'ok'));
  await waitUntil('the credits', () => test_.ledger.charged.size === 30);
  expect([...test_.ledger.charged.values()].every((times) => times === 1)).toBe(true);
}, 30_000);

test('a digest of one message is that message', async () => {
  startOfDigest();
  await test_.add('slack', { digestMinutes: 5 });
  await test_.startWorker();
  await test_.report(1, alert('alone'));
  test_.time.shiftMs += 5 * MINUTE_MS;
  await waitUntil('the delivery', async () => (await test_.statuses())['delivered'] === 1);
  expect(texts()[0]).toMatch(/^\*alone: BTCUSD-PERP triggered\*\nCondition/);
}, 30_000);

test('a failed digest is sent again as one, and counts as one failure', async () => {
  startOfDigest();
  const endpointId = await test_.add('slack', { digestMinutes: 5 });
  test_.apis.script('slack', ERRORS.slack.rollup, ERRORS.slack.rateLimited(1));
  await test_.startWorker();
  await test_.report(15, alert('many'));
  test_.time.shiftMs += 5 * MINUTE_MS;
  await waitUntil('15 deliveries', async () => (await test_.statuses())['delivered'] === 15);
  expect(texts()).toHaveLength(3);
  const { rows } = await test_.pool.query('SELECT breaker_until_ms AS until FROM lane WHERE endpoint_id = $1', [endpointId]);
  expect(rows).toEqual([{ until: '0' }]);
}, 30_000);

const FIRST = '(SELECT delivery_id FROM delivery ORDER BY delivery_id LIMIT 1)';
test.each([
  ['body', `UPDATE message SET data = NULL WHERE message_id = (SELECT message_id FROM delivery WHERE delivery_id = ${FIRST})`],
  ['credit', `UPDATE delivery SET charged = true WHERE delivery_id <> ${FIRST}`],
])(
  'a failed digest counts as a failure even if its first message has no %s',
  async (what, change) => {
    startOfDigest();
    const endpointId = await test_.add('slack', { digestMinutes: 5 });
    await test_.report(3, alert('many'));
    await test_.pool.query(change);
    if (what === 'credit') test_.ledger.give(0);
    test_.apis.script('slack', ERRORS.slack.rollup);
    test_.time.shiftMs += 5 * MINUTE_MS;
    await test_.startWorker();
    await waitUntil('the delivery', async () => (await test_.statuses())['delivered'] === 2);
    const { rows } = await test_.pool.query<{ failed: number; ok: number }>(
      `SELECT sum((slice ->> 'failed')::int)::int AS failed, sum((slice ->> 'ok')::int)::int AS ok
     FROM lane, jsonb_array_elements(breaker::jsonb -> 'slices') AS slice WHERE endpoint_id = $1`,
      [endpointId],
    );
    expect(rows).toEqual([{ failed: 1, ok: 1 }]);
  },
  30_000,
);

test('more messages than one digest has are several, and other endpoints of the tenant go on in the meantime', async () => {
  startOfDigest();
  await test_.add('slack', { digestMinutes: 5 });
  await test_.add('telegram');
  await test_.startWorker();
  await test_.report(120, alert('flood'));
  await waitUntil('the other endpoint', () => test_.apis.at('telegram').length === 120);
  test_.time.shiftMs += 5 * MINUTE_MS;
  await waitUntil('all deliveries', async () => (await test_.statuses())['delivered'] === 240);
  expect(texts().map((text) => text.split('\n')[0])).toEqual([
    '*50 messages about BTCUSD-PERP*',
    '*50 messages about BTCUSD-PERP*',
    '*20 messages about BTCUSD-PERP*',
  ]);
}, 60_000);

test('without credits for all, those that are paid are sent and the rest waits', async () => {
  startOfDigest();
  await test_.add('slack', { digestMinutes: 5 });
  test_.ledger.give(2);
  await test_.startWorker();
  await test_.report(5, alert('poor'));
  test_.time.shiftMs += 5 * MINUTE_MS;
  await waitUntil('two deliveries', async () => {
    const statuses = await test_.statuses();
    return statuses['delivered'] === 2 && statuses['held_no_credits'] === 3;
  });
  expect(texts()[0]?.split('\n')[0]).toBe('*2 messages about BTCUSD-PERP*');
  test_.ledger.give(3);
  await waitUntil('the rest', async () => (await test_.statuses())['delivered'] === 5);
}, 30_000);

test('a test is not collected', async () => {
  startOfDigest();
  const endpointId = await test_.add('slack', { digestMinutes: 5, status: 'test_pending' });
  await test_.startWorker();
  await test_.report(1, { eventKind: 'webhook.test', onlyEndpointId: endpointId, credits: 0, data: { endpoint_id: endpointId } });
  await waitUntil('the test', async () => (await test_.endpointOf(endpointId))?.status === 'live');
  expect(texts()[0]).toMatch(/^\*Test from Market-State\*/);
});
