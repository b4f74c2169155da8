import { compileResponseCheck } from '../src/latest/response-check';
import { openApiDocument } from '../src/openapi/document';
import { operations, type Operation } from '../src/openapi/operations';
import { formatRoutes, listRoutes } from '../src/routes-table';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

/** The plainest good body of an operation that takes one. */
const BODIES: Readonly<Record<string, unknown>> = {
  claimAccount: { email: 'a@b.c', password: 'x'.repeat(12) },
  logIn: { email: 'a@b.c', password: 'x' },
  requestPasswordReset: { email: 'a@b.c' },
  confirmPasswordReset: { reset_token: 'x'.repeat(20), new_password: 'x'.repeat(12) },
  createCheckoutSession: { plan_id: 'public_pro' },
  receiveBillingEvent: {},
  createKey: { name: 'n', scopes: ['read'] },
  updateKey: { name: 'n' },
  setSpendControls: { monthly_credit_cap: 1, daily_credit_cap: null, per_call_credit_ceiling: null, export_credit_cap: null },
  createPacketFeedback: { event_id: 'e', label: 'useful' },
  createWatchlist: { name: 'n', symbols: ['BTCUSD-PERP'], rules: [{ kind: 'state_changed' }] },
  updateWatchlist: { name: 'n' },
  createSavedSearch: { name: 'n', query: {} },
  updateSavedSearch: { name: 'n' },
  createAlert: { name: 'n', symbol: 'BTCUSD-PERP', rule: { kind: 'feed_stale' } },
  updateAlert: { muted: true },
  createWebhook: { url: 'https://example.com/hook', event_kinds: ['packet.created'] },
  updateWebhook: { disabled: true },
};

const BOOT_WINDOW_END_MS = lastWindowEndMs();

/** A value of a path parameter for which there is something. */
const PATH_VALUES: Readonly<Record<string, string>> = { '{connector_id}': 'rest', '{event_id}': `evt_BTCUSD-PERP_${BOOT_WINDOW_END_MS}` };

function addressOf(operation: Operation): string {
  return operation.path.replace(/\{[^}]+\}/g, (name) => PATH_VALUES[name] ?? 'some-id');
}

/** Whether an operation answers with events, without end. */
function isStream({ path, method }: Operation): boolean {
  return openApiDocument.paths[path]?.[method]?.responses?.['200']?.content?.['text/event-stream'] !== undefined;
}

describe('the list of routes', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    booted.labeling.store(packetRecord('BTCUSD-PERP', BOOT_WINDOW_END_MS));
  });
  afterAll(() => booted.close());

  function call(operation: Operation) {
    const body = operation.body === null ? undefined : JSON.stringify(BODIES[operation.operationId] ?? {});
    return booted.keyed(addressOf(operation), { method: operation.method.toUpperCase(), body, headers: body === undefined ? {} : { 'content-type': 'application/json' } });
  }

  it.each(operations.filter((operation) => operation.state === 'live' && !isStream(operation)).map((operation) => [operation.operationId, operation] as const))('%s is served', async (_id, operation) => {
    expect((await call(operation)).status).toBe(200);
  });

  it.each(operations.filter(({ state }) => state !== 'live').map((operation) => [operation.operationId, operation] as const))('%s answers not_available_yet', async (_id, operation) => {
    const response = await call(operation);
    expect(response.json()).toMatchObject({ status: 501, code: 'not_available_yet' });
    expect(response.status).toBe(501);
  });

  it.each(operations.filter(({ credential }) => credential !== 'none').map((operation) => [operation.operationId, operation] as const))('%s is closed without a credential', async (_id, operation) => {
    expect((await booted.get(addressOf(operation), { method: operation.method.toUpperCase() })).status).toBe(401);
  });

  it('serves no method that the document does not list', async () => {
    for (const [path, methods] of Object.entries(openApiDocument.paths)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (method.toLowerCase() in methods) continue;
        expect((await booted.keyed(path.replace(/\{[^}]+\}/g, 'x'), { method })).status).toBe(405);
      }
    }
  });

  it('gives the same document on its three routes', async () => {
    const texts = await Promise.all(['/openapi.json', '/api/public/market-state/openapi.json', '/api/public/market-state/docs/openapi.json'].map((path) => booted.get(path)));
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
    expect(texts[0]?.json()).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('prints one line a route', () => {
    const routes = listRoutes();
    expect(routes).toHaveLength(operations.length);
    expect(formatRoutes(routes).split('\n')).toHaveLength(operations.length + 1);
    expect(routes).toContainEqual({ method: 'GET', path: '/api/public/market-state/latest', access: 'key or session', metered: true, state: 'live' });
  });

  it('answers probes without a credential and metrics on the ops port alone', async () => {
    expect((await booted.get('/livez')).json()).toEqual({ status: 'live' });
    expect(compileResponseCheck('Readiness')((await booted.get('/readyz')).json())).toBeNull();
    expect((await booted.get('/metrics')).status).toBe(404);
    const metrics = await fetch(`http://127.0.0.1:${booted.gateway.opsPort}/metrics`).then((response) => response.text());
    expect(/http_server_request_seconds_count\{[^}]*route="\/api\/public\/market-state\/latest",method="GET",status="200"/.test(metrics)).toBe(true);
    expect(metrics.includes('latest_response_invalid_total{')).toBe(false);
  });
});

describe('readiness', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it('names what is missing and answers 503 until it is back', async () => {
    booted.dataPlane.setDown('postgres', true);
    await booted.until(async () => (await booted.get('/readyz')).status === 503);
    expect((await booted.get('/readyz')).json()).toMatchObject({ status: 'not_ready', missing: ['data_plane'] });
    booted.dataPlane.setDown('postgres', false);
    const verified = booted.account.verifyTotal();
    booted.account.setDown(true);
    await booted.until(async () => String((await booted.get('/readyz')).json()['missing']) === 'account');
    booted.account.setDown(false);
    await booted.until(async () => (await booted.get('/readyz')).status === 200);
    expect(booted.account.verifyTotal()).toBe(verified);
  });
});
