import { Writable } from 'node:stream';
import { webhook } from '@market-state/contracts';
import { createLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import { openSecret } from '@market-state/webhook-signing';
import { type HooksUnderTest, KEYS, PRIVATE_URL, PUBLIC_URL, startHooksUnderTest, TENANT } from './hooks-under-test';

const { EndpointStatus } = webhook;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let test: HooksUnderTest;
let logged = '';

beforeAll(async () => {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  test = await startHooksUnderTest(createLogger('webhook', { destination }));
});

afterAll(() => test?.close());

const of = (endpointId: string) => ({ tenantId: TENANT, endpointId });
const read = async (endpointId: string) => (await test.endpoints.getEndpoint(of(endpointId))).endpoint;
const update = async (endpointId: string, change: Partial<webhook.UpdateEndpointRequest>) =>
  (await test.endpoints.updateEndpoint({ ...of(endpointId), eventKinds: [], ...change })).endpoint;

async function column<T>(sql: string, values: readonly unknown[]): Promise<T[]> {
  const { rows } = await test.pool.query<{ value: T }>(sql, [...values]);
  return rows.map(({ value }) => value);
}

it('shows a secret once, keeps it sealed, and makes one endpoint for an operation', async () => {
  const { endpointId, secret } = await test.create({ operationId: 'op_same' });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await test.create({ operationId: 'op_same' })).toEqual({ endpointId, secret: '' });
  const [sealed = ''] = await column<string>('SELECT sealed AS value FROM endpoint_secret WHERE endpoint_id = $1', [endpointId]);
  expect(openSecret(sealed, { keys: KEYS, endpointId })).toBe(secret);
  const [dump = ''] = await column<string>(`SELECT string_agg(endpoint_secret::text, '') AS value FROM endpoint_secret`, []);
  expect(dump).not.toContain('whsec_');
  expect(dump).not.toContain(secret.slice(6, 30));
  expect(JSON.stringify(await read(endpointId))).not.toContain('whsec_');
  expect(logged).toContain('webhook endpoint created');
  expect(logged).not.toContain(secret.slice(6, 30));
});

it('twenty equal calls at once are one endpoint', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => test.create({ operationId: 'op_crowd' })));
  expect(new Set(made.map(({ endpointId }) => endpointId)).size).toBe(1);
  expect(made.filter(({ secret }) => secret !== '')).toHaveLength(1);
});

it('two tenants that use the same operation id get an endpoint each', async () => {
  const operationId = 'op_shared';
  const [first, second] = [await test.create({ operationId }), await test.create({ tenantId: 'ten_second', operationId })];
  expect(second.endpointId).not.toBe(first.endpointId);
  expect(await test.create({ operationId })).toEqual({ endpointId: first.endpointId, secret: '' });
  expect(await test.create({ tenantId: 'ten_second', operationId })).toEqual({ endpointId: second.endpointId, secret: '' });
});

it('names every fault at once, and what the guard refuses', async () => {
  const bad = { eventKinds: ['x'], symbols: ['btc'], url: PRIVATE_URL, description: 'a\u0000' };
  const faults = await test.create(bad).then(
    () => [],
    (error: { readonly faults: readonly { readonly field: string; readonly type: string }[] }) => error.faults,
  );
  expect(faults.map(({ field }) => field)).toEqual(['event_kinds', 'symbols[0]', 'description', 'url']);
  expect(faults.at(-1)?.type).toBe('url_not_allowed');
  const { endpointId } = await test.create();
  for (const url of [PRIVATE_URL, 'https://127.0.0.1/', 'http://hooks.example.com/', 'https://localhost/']) {
    await expect(update(endpointId, { url })).rejects.toMatchObject({ faults: [{ field: 'url', type: 'url_not_allowed' }] });
  }
  expect(await read(endpointId)).toMatchObject({ url: PUBLIC_URL, testTarget: false });
});

it('marks targets of tests, on readyz too', async () => {
  const { endpointId } = await test.create({ url: 'https://localhost:8443/hook' });
  expect(await read(endpointId)).toMatchObject({ testTarget: true });
  const ready = await fetch(`http://127.0.0.1:${test.opsPort}/readyz`).then((answer) => answer.json());
  expect(ready).toMatchObject({ ready: true, warnings: ['test_target'] });
});

it('allows as many as the plan', async () => {
  const order = { tenantId: 'ten_small', planId: 'public_builder' };
  for (let total = 0; total < 3; total += 1) await test.create(order);
  await expect(test.create(order)).rejects.toMatchObject({ reason: 'too_many_endpoints', metadata: { limit: '3' } });
});

it('goes live only by a test, and each step of its life is logged', async () => {
  const endpointId = await test.live();
  expect(await read(endpointId)).toMatchObject({ status: EndpointStatus.LIVE, disabledReason: '', waiting: 0 });
  await test.report({}, {});
  expect(await read(endpointId)).toMatchObject({ waiting: 2 });

  expect(await update(endpointId, { disabled: true })).toMatchObject({
    status: EndpointStatus.DISABLED,
    disabledReason: 'owner',
    waiting: 0,
  });
  const ended = await column<string>(`SELECT status AS value FROM delivery WHERE endpoint_id = $1 AND event_kind <> 'webhook.test'`, [
    endpointId,
  ]);
  expect(ended).toEqual(['endpoint_disabled', 'endpoint_disabled']);
  expect(await column('SELECT next_due_ms AS value FROM lane WHERE endpoint_id = $1', [endpointId])).toEqual([null]);
  const disabled = { reason: 'endpoint_disabled', metadata: { disabled_reason: 'owner' } };
  await expect(test.endpoints.testEndpoint(of(endpointId))).rejects.toMatchObject(disabled);

  const enabled = (await test.endpoints.enableEndpoint(of(endpointId))).endpoint;
  expect(enabled).toMatchObject({ status: EndpointStatus.TEST_PENDING, disabledReason: '' });
  expect((await test.endpoints.enableEndpoint(of(endpointId))).endpoint?.status).toBe(EndpointStatus.TEST_PENDING);
  expect(logged).toContain('webhook endpoint disabled');
});

it('with another URL needs another test, and no more than that', async () => {
  const endpointId = await test.live();
  expect(await update(endpointId, { url: PUBLIC_URL })).toMatchObject({ status: EndpointStatus.LIVE });
  const url = 'https://other.example.com/';
  expect(await update(endpointId, { url })).toMatchObject({ url, status: EndpointStatus.DISABLED, disabledReason: 'url_changed' });
  expect(await column('SELECT url_revision AS value FROM endpoint WHERE endpoint_id = $1', [endpointId])).toEqual([2]);
  await expect(test.endpoints.recover({ ...of(endpointId), sinceMs: test.nowMs() - HOUR_MS, untilMs: 0 })).rejects.toMatchObject({
    reason: 'endpoint_not_live',
    metadata: { status: 'test_pending' },
  });
  const answer = test.endpoints.testEndpoint(of(endpointId));
  await waitUntil('the test is pending', async () => (await read(endpointId))?.status === EndpointStatus.TEST_PENDING);
  await test.attempt('status_500');
  expect(await answer).toMatchObject({
    endpoint: { status: EndpointStatus.TEST_PENDING },
    attempt: { outcome: 'status_500', status: 500 },
  });
});

it('lets evaluators know of every change of what it is sent', async () => {
  const version = async (symbol: string) =>
    Number((await column<string>('SELECT version AS value FROM rule_version WHERE symbol = $1', [symbol]))[0] ?? 0);
  const topics = (endpointId: string) =>
    column<string>(`SELECT event_kind || ' ' || symbol AS value FROM endpoint_topic WHERE endpoint_id = $1 ORDER BY 1`, [endpointId]);
  const symbols = ['AUSD-PERP', 'BUSD-PERP'];
  const { endpointId } = await test.create({ symbols, eventKinds: ['packet.created', 'export.finished', 'webhook.test'] });
  expect(await topics(endpointId)).toEqual(['export.finished ', 'packet.created AUSD-PERP', 'packet.created BUSD-PERP']);
  const before = await Promise.all(['AUSD-PERP', 'BUSD-PERP', ''].map(version));
  await update(endpointId, { symbols: { symbols: [] }, eventKinds: ['state.changed'] });
  expect(await topics(endpointId)).toEqual(['state.changed ']);
  expect(await Promise.all(['AUSD-PERP', 'BUSD-PERP', ''].map(version))).toEqual(before.map((value) => value + 1));
  await test.endpoints.deleteEndpoint(of(endpointId));
  expect(await topics(endpointId)).toEqual([]);
  expect(await version('')).toBe((before[2] ?? 0) + 2);
});

it('rotates secrets: two old ones at most sign along, for as long as is asked', async () => {
  const { endpointId } = await test.create();
  const rotate = (graceHours: number) => test.endpoints.rotateSecret({ ...of(endpointId), graceHours });
  const secrets: string[] = [];
  for (const hours of [24, 24, 24]) secrets.push((await rotate(hours)).secret);
  expect(new Set(secrets).size).toBe(3);
  const shown = (await read(endpointId))?.secrets ?? [];
  expect(shown.map(({ expiresMs }) => expiresMs > 0)).toEqual([false, true, true]);
  expect((shown[1]?.expiresMs ?? 0) - (shown[0]?.createdMs ?? 0)).toBe(DAY_MS);
  test.advance(DAY_MS);
  expect((await read(endpointId))?.secrets).toHaveLength(1);
  await rotate(168);
  expect((await rotate(0)).endpoint?.secrets).toHaveLength(1);
  await expect(rotate(169)).rejects.toMatchObject({ reason: 'invalid_argument' });
  const sealed = await column<string>('SELECT sealed AS value FROM endpoint_secret WHERE endpoint_id = $1', [endpointId]);
  expect(sealed).toHaveLength(1);
});

it('rotates a secret once for an operation, and shows its secret again', async () => {
  const { endpointId, secret: original } = await test.create();
  const rotate = () => test.endpoints.rotateSecret({ ...of(endpointId), graceHours: 24, operationId: 'op_1' });
  const first = await rotate();
  test.advance(60_000);
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await rotate()).toEqual(first);
  expect(first.secret).not.toBe(original);
  expect((await read(endpointId))?.secrets.map(({ expiresMs }) => expiresMs > 0)).toEqual([false, true]);
});

it('deleted leaves nothing to send', async () => {
  const endpointId = await test.live();
  await test.report({});
  expect((await test.endpoints.deleteEndpoint(of(endpointId))).endpoint?.endpointId).toBe(endpointId);
  await expect(read(endpointId)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_endpoint' });
  const left = `SELECT count(*)::int AS value FROM delivery WHERE endpoint_id = $1 AND status = 'waiting'`;
  expect(await column(left, [endpointId])).toEqual([0]);
  for (const table of ['endpoint_secret', 'endpoint_topic', 'lane'])
    expect(await column(`SELECT count(*)::int AS value FROM ${table} WHERE endpoint_id = $1`, [endpointId])).toEqual([0]);
});

it('lists endpoints of a tenant newest first, page by page', async () => {
  const tenantId = 'ten_pages';
  for (let total = 0; total < 5; total += 1) await test.create({ tenantId });
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await test.endpoints.listEndpoints({ tenantId, pageSize: 2, pageToken });
    seen.push(...page.endpoints.map(({ endpointId }) => endpointId));
    ({ nextPageToken: pageToken } = page);
  } while (pageToken !== '');
  expect(new Set(seen).size).toBe(5);
  const first = await test.endpoints.listEndpoints({ tenantId, pageSize: 2, pageToken: '' });
  const strange = test.endpoints.listEndpoints({ tenantId: TENANT, pageSize: 2, pageToken: first.nextPageToken });
  await expect(strange).rejects.toMatchObject({ faults: [{ field: 'page_token' }] });
});
