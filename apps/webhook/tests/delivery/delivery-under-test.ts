import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTestTargets } from '@market-state/guarded-http';
import { silentLogger } from '@market-state/logging';
import { createPool, inTransaction } from '@market-state/postgres';
import type { RunningService } from '@market-state/service';
import { startStores, testRpcSettings } from '@market-state/testing';
import { formatWebhookSecret, parseSealingKeys, sealSecret } from '@market-state/webhook-signing';
import { Redis } from 'ioredis';
import type { WorkerConfig } from '../../src/config';
import { createDeliveryNotifier } from '../../src/delivery/wake-ups';
import type { Credits } from '../../src/delivery/credits';
import { WORKER_PACE, type WorkerPace } from '../../src/delivery/worker-deps';
import { newId } from '../../src/ids';
import type { MessageDraft } from '../../src/messages/message';
import { recordMessages } from '../../src/messages/record-messages';
import { startWebhookWorker } from '../../src/worker';
import { type Behaviour, ok, type Receivers, startReceivers } from './receivers';
import { storeEndpoints } from '../stored-endpoint';

const KEYS = `one:${randomBytes(32).toString('base64')},old:${randomBytes(32).toString('base64')}`;
export const TENANT = 'ten_one';
/** Retry waits are a thousandth of the production ones. */
const PACE: WorkerPace = { ...WORKER_PACE, searchMs: 100, silentMs: 1_000, claimMs: 60_000, maintenanceMs: 200, hurry: 1_000 };

/** Foreign keys cascade to the other tables. */
const CLEAR = ['attempt', 'task', 'message', 'message_order', 'endpoint', 'mail_count'].map((table) => `DELETE FROM ${table}`).join(';');

/** A ledger that gives every tenant this many credits. */
function openLedger() {
  const charged = new Map<string, number>();
  let left = Number.POSITIVE_INFINITY;
  const credits: Credits = {
    async hold() {
      if (left <= 0) return undefined;
      left -= 1;
      return {
        charge: (deliveryId) => void charged.set(deliveryId, (charged.get(deliveryId) ?? 0) + 1),
        cancel: () => {
          left += 1;
        },
      };
    },
    close: async () => undefined,
  };
  return {
    credits,
    charged,
    give(total: number) {
      left = total;
    },
    left: () => left,
  };
}

/** Workers on their own stores, with local receivers, in this process unless given. */
export async function openDelivery<R extends Pick<Receivers, 'ca' | 'set' | 'reset' | 'close'> = Receivers>(
  given?: R,
  settings: Partial<WorkerConfig> = {},
) {
  const stores = await startStores({ services: ['webhook'] });
  const receivers = given ?? ((await startReceivers()) as unknown as R);
  const folder = await mkdtemp(join(tmpdir(), 'webhook-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, receivers.ca);
  const logger = silentLogger();
  const pool = createPool({ url: stores.postgresUrl('webhook'), logger, applicationName: 'delivery-test' });
  const notifier = createDeliveryNotifier(stores.redisUrl, logger);
  const redis = new Redis(stores.redisUrl);
  let ledger = openLedger();
  const time = { shiftMs: 0 };
  const clock = (): number => Date.now() + time.shiftMs;
  const workers: RunningService[] = [];
  const { keys } = parseSealingKeys(KEYS);
  const config: WorkerConfig = {
    logLevel: 'silent',
    opsPort: 0,
    rpc: testRpcSettings('webhook-worker'),
    databaseUrl: stores.postgresUrl('webhook'),
    redisUrl: stores.redisUrl,
    shutdownWaitMs: 0,
    accountAddresses: ['127.0.0.1:1'],
    sealingKeys: keys,
    testTargets: parseTestTargets('localhost:*=127.0.0.0/8').targets,
    testCaFile: caFile,
    ...settings,
  };

  async function addSecret(endpointId: string, createdMs: number): Promise<string> {
    const secret = formatWebhookSecret(randomBytes(32));
    await pool.query('INSERT INTO endpoint_secret (secret_id, endpoint_id, sealed, created_ms) VALUES ($1, $2, $3, $4)', [
      newId('whk'),
      endpointId,
      sealSecret(secret, { keys, endpointId, nonce: randomBytes(12) }),
      createdMs,
    ]);
    return secret;
  }

  return {
    pool,
    receivers,
    get ledger() {
      return ledger;
    },
    /** Default sealing keys of workers; the first one seals. */
    keys,
    /** Offset of the clock of workers and messages. */
    time,
    addSecret,
    flushRedis: () => redis.flushdb(),
    /** Statements that the service's role may not run. */
    async asOwner(statements: string): Promise<void> {
      const owner = createPool({ url: stores.ownerUrl('webhook'), logger, applicationName: 'owner', max: 1 });
      await owner.query(statements).finally(() => owner.end());
    },
    /** A live endpoint that subscribes to alerts and to notices about other endpoints. */
    async endpoint(path: string, behaviour: Behaviour = ok, { tenantId = TENANT, status = 'live' } = {}): Promise<string> {
      const endpointId = newId('we');
      const url = receivers.set(path, behaviour);
      await storeEndpoints(pool, {
        endpointId,
        tenantId,
        url,
        status,
        topics: ['alert.triggered', 'endpoint.disabled', 'message.exhausted'],
      });
      receivers.set(path, behaviour, await addSecret(endpointId, 1));
      return endpointId;
    },
    /** Records messages as the evaluator does. */
    async report(total: number, draft: Partial<MessageDraft> = {}): Promise<void> {
      const drafts = Array.from({ length: total }, (_, number) => ({
        tenantId: TENANT,
        eventKind: 'alert.triggered',
        occasion: newId('dlv'),
        symbol: '',
        data: { number },
        meta: {},
        credits: 1 as const,
        ...draft,
      }));
      const { wakeUps } = await inTransaction(pool, (client) => recordMessages(client, drafts, clock()));
      await notifier.notify(wakeUps);
    },
    async startWorker(pace: Partial<WorkerPace> = {}, sealingKeys = keys): Promise<RunningService> {
      const worker = await startWebhookWorker(
        { ...config, sealingKeys },
        { logger, clock, credits: ledger.credits, pace: { ...PACE, ...pace } },
      );
      workers.push(worker);
      return worker;
    },
    /** Number of deliveries by status. */
    async statuses(): Promise<Record<string, number>> {
      const { rows } = await pool.query<{ status: string; total: number }>(
        'SELECT status, count(*)::int AS total FROM delivery GROUP BY 1',
      );
      return Object.fromEntries(rows.map(({ status: name, total }) => [name, total]));
    },
    /** Isolates tests: stops workers and clears rows, wake-ups and received messages. */
    async reset() {
      await receivers.reset(async () => {
        for (const worker of workers.splice(0)) await worker.close();
      });
      await pool.query(CLEAR);
      await redis.flushdb();
      ledger = openLedger();
      time.shiftMs = 0;
    },
    async close() {
      // Hanging attempts end with their receivers.
      await receivers.close();
      for (const worker of workers) await worker.close();
      await notifier.close();
      await pool.end();
      redis.disconnect();
      await rm(folder, { recursive: true });
      await stores.stop();
    },
  };
}

export type DeliveryUnderTest = Awaited<ReturnType<typeof openDelivery<Receivers>>>;
