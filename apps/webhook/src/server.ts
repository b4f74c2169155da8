import { CALLERS, IDEMPOTENT, labeling, marketData } from '@market-state/contracts';
import type { AddressResolver } from '@market-state/guarded-http';
import {
  createClient,
  createHealth,
  type Health,
  openIdentity,
  type RpcIdentity,
  startGrpcServer,
  WHOLE_PROCESS,
} from '@market-state/grpc';
import { type Closer, createCloser, repeatUntilClosed, waitFor } from '@market-state/lifecycle';
import { createLogger, type Logger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, type Metrics, type Readiness, startOpsServer } from '@market-state/telemetry';
import type { WebhookConfig } from './config';
import { createSecrets } from './endpoints/secrets';
import { createTargetCheck } from './endpoints/target-check';
import { createBell } from './lanes/bell';
import { bindEndpointService } from './rpc/endpoints/service';
import { bindMessageService } from './rpc/messages/service';
import { bindSavedSearchService } from './rpc/searches/service';
import { bindWatchlistService } from './rpc/watchlists/service';
import { createInputDays } from './store/input-days';

const PING_INTERVAL_MS = 1_000;

/** A running webhook service. */
export interface WebhookServer {
  /** `host:port` of its RPCs. */
  readonly address: string;
  readonly opsPort: number;
  close(): Promise<void>;
}

/** What tests replace. */
export interface WebhookOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
  /** Asked for the addresses of hosts. */
  readonly resolver?: AddressResolver;
}

/** Starts the process once its database answers; `signal` ends the wait. */
export async function startWebhook(config: WebhookConfig, overrides: WebhookOverrides = {}, signal?: AbortSignal): Promise<WebhookServer> {
  const logger = overrides.logger ?? createLogger('webhook', { level: config.logLevel });
  const health = createHealth(['postgres']);
  const metrics = createMetrics('webhook');
  const closer = createCloser();
  try {
    const identity = openIdentity('webhook', config.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: config.opsPort,
      host: config.opsHost,
      registry: metrics.registry,
      ready: () => readinessOf(health, config),
    });
    closer.add('ops server', () => ops.close());
    const pool = createPool({ url: config.databaseUrl, logger, applicationName: 'webhook' });
    closer.add('database', () => pool.end());
    const bell = createBell(config.redisUrl, logger);
    closer.add('bell', () => bell.close());
    await waitFor('postgres', () => pingPostgres(pool), { logger, signal });
    const beating = repeatUntilClosed(() => pingPostgres(pool).then(() => health.set('postgres', true)), {
      intervalMs: PING_INTERVAL_MS,
      onError: () => health.set('postgres', false),
    });
    closer.add('heartbeat', () => beating.close());
    const stopping = new AbortController();
    const clock = overrides.clock ?? Date.now;
    const deps = {
      ...openUpstreams(config, identity, metrics, closer),
      pool,
      inputDays: createInputDays(pool, clock),
      bell,
      secrets: createSecrets(config.sealingKeys),
      targets: createTargetCheck(config.testTargets, overrides.resolver),
      clock,
      logger,
      stopping: stopping.signal,
    };
    const grpc = await startGrpcServer({
      address: config.grpcAddress,
      services: [bindEndpointService(deps), bindMessageService(deps), bindWatchlistService(deps), bindSavedSearchService(deps)],
      identity,
      callers: CALLERS,
      health,
      logger,
      metrics,
      shutdownWaitMs: config.shutdownWaitMs,
    });
    closer.add('grpc server', () => grpc.close());
    closer.add('calls that wait', async () => stopping.abort());
    logger.info({ address: grpc.address, ops_port: ops.port }, 'webhook service started');
    return { address: grpc.address, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

/** The services that say which symbols there are and which packets. */
function openUpstreams(config: WebhookConfig, identity: RpcIdentity, metrics: Metrics, closer: Closer) {
  const shared = { metrics, idempotent: IDEMPOTENT };
  const packets = createClient({
    ...shared,
    definition: labeling.LabelingServiceService,
    address: config.labelingAddresses,
    peer: identity.to('labeling'),
  });
  closer.add('labeling client', () => packets.close());
  const rows = createClient({
    ...shared,
    definition: marketData.MarketDataServiceService,
    address: config.dataPlaneAddresses,
    peer: identity.to('data-plane'),
  });
  closer.add('data plane client', () => rows.close());
  return { packets, marketData: rows };
}

function readinessOf(health: Health, { testTargets }: WebhookConfig): Readiness {
  const postgres = health.get('postgres') === true;
  const warnings = testTargets.length > 0 ? ['test_target'] : [];
  return { ready: postgres && health.get(WHOLE_PROCESS) === true, checks: { postgres }, warnings };
}
