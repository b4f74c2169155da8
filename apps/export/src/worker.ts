import { randomUUID } from 'node:crypto';
import { openStore } from '@market-state/archive';
import { METHOD_RULES } from '@market-state/contracts';
import { startJobWorker } from '@market-state/queue';
import { bootService, type RunningService } from '@market-state/service';
import type { WorkerConfig } from './config';
import { createExportMetrics } from './export-metrics';
import { createExportQueue, EXPORT_QUEUE } from './jobs/export-queue';
import { startMaintenance, searchDueJobs } from './run-maintenance';
import { workOnPart } from './parts/work-on-part';
import { publishJob } from './publishing/publish-job';
import type { ExportOverrides } from './server';
import { openUpstreams } from './upstreams';
import type { WorkerDeps, WorkerPace } from './worker-deps';

const DAY_MS = 86_400_000;
const PACE: WorkerPace = { maintenanceMs: 15_000, silentMs: 60_000 };

/** Replaceable in tests and verification suites. */
export interface WorkerOverrides extends ExportOverrides {
  readonly pace?: WorkerPace;
}

/** `signal` aborts the wait for the database. Makes one part at a time. */
export function startExportWorker(
  config: WorkerConfig,
  { clock = Date.now, pace = PACE, logger: otherLogger }: WorkerOverrides = {},
  signal?: AbortSignal,
): Promise<RunningService> {
  const options = {
    ...config,
    name: 'export-worker',
    methodRules: METHOD_RULES,
    dependencies: ['postgres'],
    logger: otherLogger,
    signal,
  };
  return bootService(options, async (service) => {
    const { logger, closer } = service;
    const pool = service.pool({ url: config.databaseUrl });
    const queue = createExportQueue(config.redisUrl, logger);
    closer.add('queue', () => queue.close());
    const deps: WorkerDeps = {
      ...openUpstreams(config, service),
      worker: `worker_${randomUUID()}`,
      pool,
      store: openStore(config.exportUrl, config.storeOptions),
      archive: config.archiveUrl === undefined ? undefined : openStore(config.archiveUrl, config.storeOptions),
      queue,
      metrics: createExportMetrics(service.metrics.registry),
      keptMs: config.exportDays * DAY_MS,
      clock,
      pace,
      logger,
    };
    await service.waitForPostgres(pool);
    const maintenance = startMaintenance(deps);
    closer.add('maintenance', () => maintenance.close());
    const search = searchDueJobs(deps);
    closer.add('search', () => search.close());
    const stop = new AbortController();
    const worker = startJobWorker(
      EXPORT_QUEUE,
      // Half the silence limit: the queue reassigns a lost job before the database lets another worker claim its part.
      { redisUrl: config.redisUrl, logger, concurrency: 1, onStalled: () => deps.metrics.stalled(), lockMs: pace.silentMs / 2 },
      { part: (key) => workOnPart(deps, key, stop.signal), publish: ({ jobId }) => publishJob(deps, jobId) },
    );
    closer.add('worker', () => {
      stop.abort(new Error('the worker is shutting down'));
      return worker.close();
    });
    return { worker: deps.worker };
  });
}
