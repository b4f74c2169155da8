import { account } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { startAccountProcess, startStores, testPeer, testRpcSettings } from '@market-state/testing';
import { Client } from 'pg';
import { startGateway } from '../src/gateway';
import { LINK_SECRET, QUOTE_SECRET } from './stand-in/secrets';
import { http, type RawResponse } from './stand-in/http-client';

const MARKET = '/api/public/market-state';
const UNREACHABLE = '127.0.0.1:1';

const closer = createCloser();
let send: (path: string, idempotencyKey: string, body: object) => Promise<RawResponse>;
let opens: (key: string) => Promise<number>;
let db: Client;
let tenantId: string;
beforeAll(async () => {
  const stores = await startStores({ services: ['account'] });
  closer.add('stores', () => stores.stop());
  const service = await startAccountProcess(closer, stores.postgresUrl('account'));
  await service.ready();
  const operator = createClient({
    definition: account.OperatorServiceService,
    peer: testPeer('account'),
    address: service.address,
    deadlineMs: 20_000,
  });
  const keys = createClient({
    definition: account.KeyServiceService,
    peer: testPeer('account'),
    address: service.address,
    deadlineMs: 20_000,
  });
  const { tenant } = await operator.call.ensureTenant({ name: 'repeating', planId: 'public_pro', renewal: account.Renewal.MONTHLY });
  tenantId = tenant?.tenantId ?? '';
  const { key } = await keys.call.createKey({
    tenantId,
    name: 'of the test',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.READ, account.Scope.ACCOUNT],
    expiresTsMs: 0,
  });
  await Promise.all([operator.close(), keys.close()]);
  db = new Client({ connectionString: stores.ownerUrl('account') });
  await db.connect();
  closer.add('db', () => db.end());
  const gateway = await startGateway(
    {
      logLevel: 'silent',
      listenHost: '127.0.0.1',
      port: 0,
      opsPort: 0,
      shutdownWaitMs: 0,
      quoteSecret: QUOTE_SECRET,
      linkSecret: LINK_SECRET,
      rpc: testRpcSettings('gateway'),
      publicRate: { perMinute: 1_000, burst: 1_000 },
      refusedRate: { perMinute: 1_000, burst: 1_000 },
      accountAddresses: [service.address],
      labelingAddresses: [UNREACHABLE],
      dataPlaneAddresses: [UNREACHABLE],
      exportAddresses: [UNREACHABLE],
      webhookAddresses: [UNREACHABLE],
      mcpAddresses: [UNREACHABLE],
    } as Parameters<typeof startGateway>[0],
    { logger: silentLogger(), loadLevel: () => 0 },
  );
  closer.add('gateway', () => gateway.close());
  opens = async (opened) => (await http(`${gateway.url}${MARKET}/account/me`, { headers: { 'x-market-state-api-key': opened } })).status;
  send = (path, idempotencyKey, body) =>
    http(`${gateway.url}${MARKET}${path}`, {
      method: 'POST',
      headers: { 'x-market-state-api-key': key, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
    });
});
afterAll(() => closer.close());

/**
 * Serves a call whose effect is stored but whose answer is lost: the gateway's next step fails, and its owner is silent
 * for a minute.
 */
async function cutShort(serve: () => Promise<RawResponse>): Promise<RawResponse> {
  await db.query(`CREATE FUNCTION lose_answer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'lost'; END $$;
    CREATE TRIGGER answer_lost BEFORE UPDATE OF sealed_answer ON idempotent_call FOR EACH ROW EXECUTE FUNCTION lose_answer()`);
  try {
    return await serve();
  } finally {
    await db.query(`DROP FUNCTION lose_answer() CASCADE; UPDATE idempotent_call SET lease_until = now()`);
  }
}

it('a key asked for again, after its answer was lost, is the same key with a secret that works, and then the same answer', async () => {
  const ask = (): Promise<RawResponse> => send('/account/keys', 'key-once', { name: 'once', scopes: ['read', 'account'] });
  const lost = (await cutShort(ask)).json<{ key: string; record: { key_id: string } }>();
  const reported = await ask();
  const { key, record } = reported.json<{ key: string; record: { key_id: string } }>();
  expect([reported.status, record.key_id]).toEqual([200, lost.record.key_id]);
  const { rows } = await db.query(`SELECT id FROM api_key WHERE tenant_id = $1 AND name = 'once'`, [tenantId]);
  expect(rows).toEqual([{ id: record.key_id }]);
  const again = await ask();
  expect([again.text, again.headers['idempotency-replayed']]).toEqual([reported.text, 'true']);
  expect([await opens(key), await opens(lost.key)]).toEqual([200, 401]);
});

it('a checkout asked for again, after its answer was lost, is the same order', async () => {
  const ask = (): Promise<RawResponse> => send('/account/billing/checkout-session', 'order-once', { plan_id: 'topup' });
  const lost = (await cutShort(ask)).json<{ order_id: string }>();
  const reported = await ask();
  expect([reported.status, reported.json()['order_id']]).toEqual([200, lost.order_id]);
  expect((await db.query('SELECT id FROM billing_order WHERE tenant_id = $1', [tenantId])).rows).toEqual([{ id: lost.order_id }]);
});
