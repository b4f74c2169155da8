import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { account, IDEMPOTENT } from '@market-state/contracts';
import { createClient, openIdentity } from '@market-state/grpc';
import { createSender, type SenderOptions } from '@market-state/guarded-http';
import { createCloser, waitFor } from '@market-state/lifecycle';
import { createLogger, type Logger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import type { Credits } from './charging/credits';
import { createLeaseCredits } from './charging/lease-credits';
import type { WorkerConfig } from './config';
import { createDeliveryMetrics } from './delivery/delivery-metrics';
import { keepUp } from './delivery/keep-up';
import { createPlaces, PLACE_LIMITS } from './delivery/places';
import { createTurns } from './delivery/turns';
import { WORKER_PACE, type WorkerDeps, type WorkerPace } from './delivery/worker-deps';
import { answerRings } from './lanes/answer-rings';
import { createBell } from './lanes/bell';
import { keepRinging } from './lanes/keep-ringing';
import { noteCharged } from './store/charges';

const CREDIT_DEADLINE_MS = 2_000;
const CONNECTIONS = 16;

/** A running process. */
export interface WebhookWorker {
  readonly opsPort: number;
  close(): Promise<void>;
}

/** What tests and suites replace. */
export interface WorkerOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly pace?: WorkerPace;
  /** Of an attempt. */
  readonly limits?: SenderOptions['limits'];
  /** Instead of leases of account. */
  readonly credits?: Credits;
}

/** Starts the process once its database answers; `signal` ends the wait. */
export async function startWebhookWorker(
  config: WorkerConfig,
  overrides: WorkerOverrides = {},
  signal?: AbortSignal,
): Promise<WebhookWorker> {
  const logger = overrides.logger ?? createLogger('webhook-worker', { level: config.logLevel });
  const metrics = createMetrics('webhook-worker');
  const closer = createCloser();
  const worker = `worker_${randomUUID()}`;
  const clock = overrides.clock ?? Date.now;
  let isReady = false;
  try {
    const identity = openIdentity('webhook-worker', config.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: config.opsPort,
      host: config.opsHost,
      registry: metrics.registry,
      ready: () => ({ ready: isReady, checks: { postgres: isReady }, test_target: config.testTargets.length > 0 }),
    });
    closer.add('ops server', () => ops.close());
    const pool = createPool({ url: config.databaseUrl, logger, applicationName: 'webhook-worker', max: CONNECTIONS });
    closer.add('database', () => pool.end());
    const bell = createBell(config.redisUrl, logger);
    closer.add('bell', () => bell.close());
    const client = createClient({
      definition: account.CreditServiceService,
      address: config.accountAddresses,
      peer: identity.to('account'),
      metrics,
      idempotent: IDEMPOTENT,
      deadlineMs: CREDIT_DEADLINE_MS,
    });
    closer.add('account client', () => client.close());
    const note = (deliveryIds: readonly string[]): void => {
      noteCharged(pool, deliveryIds).catch((error: unknown) => logger.warn({ err: error }, 'charges were not noted; they are made again'));
    };
    await waitFor('postgres', () => pingPostgres(pool), { logger, signal });
    const credits = overrides.credits ?? createLeaseCredits({ worker, credits: client, onPosted: note, clock, logger, metrics });
    closer.add('credits', () => credits.close());
    const places = createPlaces(PLACE_LIMITS, () => performance.now());
    const ca = config.testCaFile === undefined ? {} : { ca: readFileSync(config.testCaFile, 'utf8') };
    const sender = createSender({ targets: config.testTargets, ...ca, ...(overrides.limits && { limits: overrides.limits }) });
    closer.add('connections', async () => sender.close());
    const deps: WorkerDeps = {
      worker,
      pool,
      bell,
      send: sender.send,
      credits,
      places,
      turns: createTurns(),
      sealingKeys: config.sealingKeys,
      metrics: createDeliveryMetrics(metrics.registry, places, sender),
      clock,
      random: Math.random,
      pace: overrides.pace ?? WORKER_PACE,
      logger,
    };
    const answering = answerRings(deps, config.redisUrl);
    closer.add('attempts', () => answering.close());
    const ringing = keepRinging(deps);
    closer.add('timer', () => ringing.close());
    const upkeep = keepUp(deps);
    closer.add('upkeep', () => upkeep.close());
    isReady = true;
    logger.info({ ops_port: ops.port, worker }, 'webhook worker started');
    return { opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}
