import { randomBytes } from 'node:crypto';
import { createMessage, webhook } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { type AddressResolver, parseTestTargets } from '@market-state/guarded-http';
import type { Logger } from '@market-state/logging';
import { createPool, inTransaction } from '@market-state/postgres';
import { startStores, testPeer, testRpcSettings, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import type { MessageDraft } from '../src/messages/message';
import { recordMessages } from '../src/messages/record-messages';
import { startWebhook } from '../src/server';

export const TENANT = 'ten_one';
export const PUBLIC_URL = 'https://hooks.example.com/market';
/** Its host resolves to a private address. */
export const PRIVATE_URL = 'https://inside.example.com/market';
export const KEYS = [{ id: 'k1', key: randomBytes(32) }];

/** RPC process with its stores and without a worker: tests play that role. */
export interface HooksUnderTest {
  readonly endpoints: GrpcClient<webhook.EndpointServiceService>['call'];
  readonly messages: GrpcClient<webhook.MessageServiceService>['call'];
  readonly pool: Pool;
  readonly opsPort: number;
  /** Creates an endpoint; fields override the defaults. */
  create(request?: Partial<webhook.CreateEndpointRequest>): Promise<{ readonly endpointId: string; readonly secret: string }>;
  /** Creates an endpoint and makes it live. */
  live(request?: Partial<webhook.CreateEndpointRequest>): Promise<string>;
  /** Resolves once a requested test waits for the worker. */
  testDue(endpointId: string): Promise<unknown>;
  /** Writes messages as the evaluator does. @returns their ids in order */
  report(...drafts: readonly Partial<MessageDraft>[]): Promise<readonly string[]>;
  /** Plays the worker: the first attempt of each due delivery ends with this outcome. */
  attempt(outcome: string): Promise<void>;
  /** Advances the service clock. */
  advance(ms: number): void;
  nowMs(): number;
  close(): Promise<void>;
}

const resolver: AddressResolver = {
  resolve4: async (host) => (host.startsWith('inside') ? ['10.0.0.7'] : ['93.184.215.14']),
  resolve6: async () => [],
};

let made = 0;

export async function startHooksUnderTest(logger: Logger): Promise<HooksUnderTest> {
  const stores = await startStores({ services: ['webhook'] });
  let aheadMs = 0;
  const clock = (): number => Date.now() + aheadMs;
  const server = await startWebhook(
    {
      logLevel: 'silent',
      opsPort: 0,
      rpc: testRpcSettings('webhook'),
      databaseUrl: stores.postgresUrl('webhook'),
      redisUrl: stores.redisUrl,
      grpcAddress: '127.0.0.1:0',
      labelingAddresses: ['127.0.0.1:1'],
      dataPlaneAddresses: ['127.0.0.1:1'],
      shutdownWaitMs: 0,
      sealingKeys: KEYS,
      testTargets: parseTestTargets('localhost:8443=127.0.0.0/8').targets,
      testCaFile: undefined,
    },
    { logger, clock, resolver },
  );
  const toServer = { address: server.address, peer: testPeer('webhook'), deadlineMs: 25_000 };
  const endpoints = createClient({ ...toServer, definition: webhook.EndpointServiceService });
  const messages = createClient({ ...toServer, definition: webhook.MessageServiceService });
  const pool = createPool({ url: stores.postgresUrl('webhook'), logger, applicationName: 'test' });

  const test: HooksUnderTest = {
    endpoints: endpoints.call,
    messages: messages.call,
    pool,
    opsPort: server.opsPort,
    async create(request = {}) {
      made += 1;
      const { endpoint, secret } = await endpoints.call.createEndpoint(
        createMessage(webhook.CreateEndpointRequest, {
          tenantId: TENANT,
          planId: 'public_research',
          operationId: `op_${made}`,
          url: PUBLIC_URL,
          eventKinds: ['alert.triggered', 'export.finished'],
          ...request,
        }),
      );
      return { endpointId: endpoint?.endpointId ?? '', secret };
    },
    async live(request = {}) {
      const { endpointId } = await test.create(request);
      const answer = endpoints.call.testEndpoint({ tenantId: request.tenantId ?? TENANT, endpointId });
      await test.testDue(endpointId);
      await test.attempt('ok');
      expect((await answer).endpoint?.status).toBe(webhook.EndpointStatus.LIVE);
      return endpointId;
    },
    testDue: (endpointId) =>
      waitUntil(
        'the test is due',
        async () => (await pool.query(`SELECT 1 FROM delivery WHERE endpoint_id = $1 AND status = 'waiting'`, [endpointId])).rowCount === 1,
      ),
    async report(...drafts) {
      const whole = drafts.map((draft): MessageDraft => {
        made += 1;
        const base = { tenantId: TENANT, eventKind: 'export.finished', occasion: `occasion ${made}`, symbol: '', credits: 1 as const };
        return { ...base, data: { job_id: `exp_${made}` }, meta: {}, ...draft };
      });
      await inTransaction(pool, (client) => recordMessages(client, whole, clock()));
      const { rows } = await pool.query<{ message_id: string }>(
        'SELECT message_id FROM message WHERE occasion = ANY($1) ORDER BY position',
        [whole.map(({ occasion }) => occasion)],
      );
      return rows.map(({ message_id }) => message_id);
    },
    async attempt(outcome) {
      const isOk = outcome === 'ok';
      const status = isOk ? 200 : Number(/\d+/.exec(outcome)?.[0] ?? 0);
      await inTransaction(pool, async (client) => {
        await client.query(
          `INSERT INTO attempt SELECT 'att_' || gen_random_uuid(), delivery_id, message_id, endpoint_id, tenant_id, event_kind, attempts + 1, $1, 12,
           $2, $3, '', NULL, false FROM delivery WHERE status = 'waiting'`,
          [clock(), status, outcome],
        );
        await client.query(
          `UPDATE endpoint SET status = 'live' WHERE $1 AND endpoint_id IN
           (SELECT endpoint_id FROM delivery WHERE status = 'waiting' AND event_kind = 'webhook.test')`,
          [isOk],
        );
        await client.query(
          `UPDATE delivery SET attempts = attempts + 1, due_ms = NULL, status = $1::delivery_status WHERE status = 'waiting'`,
          [isOk ? 'delivered' : 'exhausted'],
        );
      });
    },
    advance: (ms) => void (aheadMs += ms),
    nowMs: clock,
    async close() {
      await endpoints.close();
      await messages.close();
      await server.close();
      await pool.end();
      await stores.stop();
    },
  };
  return test;
}
