import { openStore } from '@market-state/archive';
import { METHOD_RULES, exports } from '@market-state/contracts';
import { createKeyedConcurrencyLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { bootService, type RunningService } from '@market-state/service';
import { Counter } from 'prom-client';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '@market-state/postgres';
import type { ExportConfig } from './config';
import { tooManyJobs } from './jobs/create-job';
import { createExportQueue } from './jobs/export-queue';
import { createMeasureSizes } from './planning/file-sizes';
import { createDownloads } from './rpc/downloads';
import { openUpstreams } from './upstreams';
import type { RpcDeps } from './rpc/deps';
import { getFile, readFile } from './rpc/files';
import { cancelJob, getJob, getResult, getReviewPack, listJobs } from './rpc/jobs';
import { createJob, planExport } from './rpc/orders';
import { ackOutbox, type AckOutboxDeps, listOutbox } from './rpc/outbox';

/** Concurrent orders per tenant; planning counts rows. */
const ORDERS_AT_ONCE = 2;
/** Maximum queued orders per tenant; further ones are refused. */
const ORDERS_WAITING_MAX = 250;
const ORDER_WAIT_MS_MAX = 5_000;

export interface ExportServer extends RunningService {
  readonly address: string;
}

export interface ExportOverrides {
  readonly clock?: () => number;
  readonly logger?: Logger;
}

/** `signal` aborts the wait for the database. */
export function startExport(
  config: ExportConfig,
  { clock = Date.now, logger }: ExportOverrides = {},
  signal?: AbortSignal,
): Promise<ExportServer> {
  return bootService(
    { ...config, name: 'export', methodRules: METHOD_RULES, dependencies: ['postgres'], logger, signal },
    async (service) => {
      const pool = service.pool({ url: config.databaseUrl });
      const downloaded = new Counter({
        name: 'export_download_bytes_total',
        help: 'Bytes of downloaded files.',
        registers: [service.metrics.registry],
      });
      const queue = createExportQueue(config.redisUrl, service.logger);
      service.closer.add('queue', () => queue.close());
      await service.waitForPostgres(pool);
      const upstreams = openUpstreams(config, service);
      const store = openStore(config.exportUrl, config.storeOptions);
      const exportService = bindExportService({
        ...upstreams,
        pool,
        store,
        measureSizes: createMeasureSizes({ ...upstreams, store }),
        queue,
        downloads: createDownloads(),
        limitOrders: createKeyedConcurrencyLimit(ORDERS_AT_ONCE, {
          waitingMax: ORDERS_WAITING_MAX,
          waitMsMax: ORDER_WAIT_MS_MAX,
          refusal: tooManyJobs,
        }),
        countBytes: (bytes) => downloaded.inc(bytes),
        clock,
        logger: service.logger,
      });
      const address = await service.serve({
        address: config.grpcAddress,
        services: [exportService, bindOutboxService({ pool, clock })],
        shutdownWaitMs: config.shutdownWaitMs,
      });
      return { address };
    },
  );
}

function bindExportService(deps: RpcDeps): BoundService {
  const handlers = { planExport, createJob, getJob, listJobs, cancelJob, getResult, getReviewPack, getFile, readFile };
  return bindService(exports.ExportServiceService, withDeps(deps, handlers), orUnavailable('export'));
}

function bindOutboxService(deps: AckOutboxDeps): BoundService {
  return bindService(exports.OutboxServiceService, withDeps(deps, { listOutbox, ackOutbox }), orUnavailable('export'));
}
