import { openStore } from '@market-state/archive';
import { CALLERS } from '@market-state/contracts';
import { createHealth, type Health, openIdentity, startGrpcServer, WHOLE_PROCESS } from '@market-state/grpc';
import { createCloser, createKeyedConcurrencyLimit, repeatUntilClosed, waitFor } from '@market-state/lifecycle';
import { createLogger, type Logger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, type Readiness, startOpsServer } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import type { ExportConfig } from './config';
import { tooManyJobs } from './jobs/queue-limit';
import { createBell } from './queues/parts';
import { createDownloads } from './rpc/downloads';
import { bindOutboxService } from './rpc/outbox-service';
import { bindExportService } from './rpc/service';
import { openUpstreams } from './upstreams';

const PING_INTERVAL_MS = 1_000;
/** Orders of one tenant that are planned at once; planning counts rows. */
const ORDERS_AT_ONCE = 2;
/** Orders of one tenant that wait for that; one more is refused. */
const ORDERS_WAITING_MAX = 250;
/** An order that waited so long is refused, milliseconds. */
const ORDER_WAIT_MS_MAX = 5_000;

/** A running export service. */
export interface ExportServer {
  /** `host:port` of its RPCs. */
  readonly address: string;
  readonly opsPort: number;
  close(): Promise<void>;
}

/** What tests replace. */
export interface ExportOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
}

/** Starts the process that serves RPCs once its database answers; `signal` ends the wait. */
export async function startExport(config: ExportConfig, overrides: ExportOverrides = {}, signal?: AbortSignal): Promise<ExportServer> {
  const logger = overrides.logger ?? createLogger('export', { level: config.logLevel });
  const clock = overrides.clock ?? Date.now;
  const health = createHealth(['postgres']);
  const metrics = createMetrics('export');
  const closer = createCloser();
  try {
    const identity = openIdentity('export', config.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: config.opsPort,
      host: config.opsHost,
      registry: metrics.registry,
      ready: () => readinessOf(health),
    });
    closer.add('ops server', () => ops.close());
    const pool = createPool({ url: config.databaseUrl, logger, applicationName: 'export' });
    closer.add('database', () => pool.end());
    const downloaded = new Counter({
      name: 'export_download_bytes_total',
      help: 'Bytes of files that were read.',
      registers: [metrics.registry],
    });
    const bell = createBell(config.redisUrl, logger);
    closer.add('bell', () => bell.close());
    const upstreams = openUpstreams(config, identity, metrics, closer);
    await waitFor('postgres', () => pingPostgres(pool), { logger, signal });
    const beating = repeatUntilClosed(() => pingPostgres(pool).then(() => health.set('postgres', true)), {
      intervalMs: PING_INTERVAL_MS,
      onError: () => health.set('postgres', false),
    });
    closer.add('heartbeat', () => beating.close());
    const grpc = await startGrpcServer({
      address: config.grpcAddress,
      services: [
        bindExportService({
          ...upstreams,
          pool,
          store: openStore(config.exportUrl, config.storeOptions),
          bell,
          downloads: createDownloads(),
          limitOrders: createKeyedConcurrencyLimit(ORDERS_AT_ONCE, {
            waitingMax: ORDERS_WAITING_MAX,
            waitMsMax: ORDER_WAIT_MS_MAX,
            refusal: tooManyJobs,
          }),
          countBytes: (bytes) => downloaded.inc(bytes),
          clock,
          logger,
        }),
        bindOutboxService({ pool, clock }),
      ],
      identity,
      callers: CALLERS,
      health,
      logger,
      metrics,
      shutdownWaitMs: config.shutdownWaitMs,
    });
    closer.add('grpc server', () => grpc.close());
    logger.info({ address: grpc.address, ops_port: ops.port }, 'export service started');
    return { address: grpc.address, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

function readinessOf(health: Health): Readiness {
  const postgres = health.get('postgres') === true;
  return { ready: postgres && health.get(WHOLE_PROCESS) === true, checks: { postgres } };
}
