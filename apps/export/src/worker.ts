import { randomUUID } from 'node:crypto';
import { openStore } from '@market-state/archive';
import { openIdentity } from '@market-state/grpc';
import { createCloser, waitFor } from '@market-state/lifecycle';
import { createLogger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { startWorker } from '@market-state/queue';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import type { WorkerConfig } from './config';
import { createExportMetrics } from './export-metrics';
import { workOnPart } from './parts/work-on-part';
import { publishJob } from './publishing/publish-job';
import { createBell, PARTS_QUEUE } from './queues/parts';
import type { ExportOverrides } from './server';
import { openUpstreams } from './upstreams';
import { keepUp } from './upkeep/keep-up';
import type { WorkerDeps, WorkerPace } from './worker-deps';

const DAY_MS = 86_400_000;
const PACE: WorkerPace = { upkeepMs: 15_000, silentMs: 60_000 };

/** A running worker. */
export interface ExportWorker {
  readonly opsPort: number;
  close(): Promise<void>;
}

/** What tests and suites replace. */
export interface WorkerOverrides extends ExportOverrides {
  readonly pace?: WorkerPace;
}

/** Starts a worker once its database answers; `signal` ends the wait. It makes one part at a time. */
export async function startExportWorker(
  config: WorkerConfig,
  overrides: WorkerOverrides = {},
  signal?: AbortSignal,
): Promise<ExportWorker> {
  const logger = overrides.logger ?? createLogger('export-worker', { level: config.logLevel });
  const metrics = createMetrics('export-worker');
  const closer = createCloser();
  const stop = new AbortController();
  let isReady = false;
  try {
    const identity = openIdentity('export-worker', config.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ops = await startOpsServer({
      port: config.opsPort,
      host: config.opsHost,
      registry: metrics.registry,
      ready: () => ({ ready: isReady, checks: { postgres: isReady } }),
    });
    closer.add('ops server', () => ops.close());
    const pool = createPool({ url: config.databaseUrl, logger, applicationName: 'export-worker' });
    closer.add('database', () => pool.end());
    const bell = createBell(config.redisUrl, logger);
    closer.add('bell', () => bell.close());
    const deps: WorkerDeps = {
      ...openUpstreams(config, identity, metrics, closer),
      worker: `worker_${randomUUID()}`,
      pool,
      store: openStore(config.exportUrl, config.storeOptions),
      archive: config.archiveUrl === undefined ? undefined : openStore(config.archiveUrl, config.storeOptions),
      bell,
      metrics: createExportMetrics(metrics.registry),
      keptMs: config.exportDays * DAY_MS,
      clock: overrides.clock ?? Date.now,
      pace: overrides.pace ?? PACE,
      logger,
    };
    await waitFor('postgres', () => pingPostgres(pool), { logger, signal });
    const upkeep = keepUp(deps);
    closer.add('upkeep', () => upkeep.close());
    const worker = startWorker(
      PARTS_QUEUE,
      { redisUrl: config.redisUrl, logger, concurrency: 1, onStalled: () => deps.metrics.stalled() },
      (ring) => (ring.wakes === 'part' ? workOnPart(deps, stop.signal) : publishJob(deps, ring.jobId)),
    );
    closer.add('worker', () => {
      stop.abort(new Error('the worker was told to stop'));
      return worker.close();
    });
    isReady = true;
    logger.info({ ops_port: ops.port, worker: deps.worker }, 'export worker started');
    return { opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}
