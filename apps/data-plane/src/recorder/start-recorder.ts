import { type ObjectStore, keepArchive, openStore, storeOptionsOf } from '@market-state/archive';
import { METHOD_RULES } from '@market-state/contracts';
import { createEventLog } from '@market-state/event-log';
import { WHOLE_PROCESS } from '@market-state/grpc';
import { type Closable, waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { pingPostgres } from '@market-state/postgres';
import { type RunningService, bootService } from '@market-state/service';
import type { Metrics } from '@market-state/telemetry';
import { createArchiveMetrics } from '../archive/archive-metrics';
import { type BlockedHours, archivePass } from '../archive/archive-pass';
import { type RetentionDays, retentionDaysOf } from '../archive/archive-settings';
import { retentionPass } from '../archive/retention-pass';
import { type RecorderConfig, serviceSettingsOf } from '../config';
import { createPartitions } from '../store/partitions';
import { EVENT_LOG, POSTGRES, watchStores } from '../watch-stores';
import { gatherMs, recordSymbols, createRecorderMetrics } from './record-symbol';

interface ArchiverOptions {
  readonly databaseUrl: string;
  readonly store: ObjectStore;
  readonly days: RetentionDays;
  readonly symbols: readonly string[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly onDropped: () => void;
}

/** A symbol that catches up uses two connections; quiet ones share one. */
const WRITERS_MAX = 16;

/** Retention also runs after each archived hour. */
const RETENTION_PAUSE_MS = 60_000;

function startArchiver(options: ArchiverOptions): Closable {
  const { databaseUrl, store, logger } = options;
  const metrics = createArchiveMetrics(options.metrics, Date.now);
  return keepArchive({
    databaseUrl,
    store,
    logger,
    applicationName: 'data-plane-archiver',
    connectionsMax: 3,
    // Counting a day's rows is slow.
    statementTimeoutMs: 120_000,
    lockNumber: 4_801_338,
    pauseMs: 1_000,
    begin({ pool, lock, signal }) {
      const nowMs = Date.now;
      const blocked: BlockedHours = new Map();
      let keptAtMs = -Infinity;
      return async () => {
        const archived = await archivePass({ ...options, metrics, pool, nowMs }, lock, blocked, signal);
        if (archived === 0 && nowMs() - keptAtMs < RETENTION_PAUSE_MS) return;
        await retentionPass({ ...options, metrics, pool }, signal);
        keptAtMs = nowMs();
      };
    },
  });
}

export interface RunningRecorder extends RunningService {
  readonly address: string;
}

export function startRecorder(config: RecorderConfig, signal?: AbortSignal): Promise<RunningRecorder> {
  const options = {
    ...serviceSettingsOf(config),
    name: 'data-plane-recorder',
    methodRules: METHOD_RULES,
    dependencies: [POSTGRES, EVENT_LOG],
    signal,
  };
  return bootService(options, async (service) => {
    const { logger, metrics, health, closer } = service;
    const pool = service.pool({ url: config.DATABASE_URL, max: Math.min(config.recordedSymbols.length * 2, WRITERS_MAX) + 2 });
    const log = createEventLog(config.REDIS_URL, { logger, readEveryMs: gatherMs(config.recordedSymbols.length) });
    closer.add('event log', () => log.close());

    const failing = new Set<string>();
    const isReady = (): boolean => failing.size === 0 && health.get(POSTGRES) === true && health.get(EVENT_LOG) === true;
    health.onChange(() => health.set(WHOLE_PROCESS, isReady()));
    service.reportReadiness(() => ({
      ready: isReady(),
      checks: { postgres: health.get(POSTGRES) ?? false, event_log: health.get(EVENT_LOG) ?? false },
    }));
    health.set(WHOLE_PROCESS, false);
    // Health is available before the stores are.
    const address = await service.serve({ address: config.GRPC_ADDRESS, services: [], shutdownWaitMs: config.SHUTDOWN_WAIT_MS });

    await waitFor('postgres', () => pingPostgres(pool), { signal, logger });
    await waitFor('event log', () => log.ping(), { signal, logger });
    closer.add('store watch', watchStores(health, { postgres: () => pingPostgres(pool), event_log: () => log.ping() }));
    const stop = new AbortController();
    const partitions = createPartitions(pool);
    const deps = {
      pool,
      log,
      logger,
      partitions,
      metrics: createRecorderMetrics(metrics, log),
      onState(symbol: string, isWriting: boolean) {
        if (isWriting) failing.delete(symbol);
        else failing.add(symbol);
        health.set(WHOLE_PROCESS, isReady());
      },
    };
    const recording = recordSymbols(deps, config.recordedSymbols, stop.signal);
    closer.add('recording', async () => {
      stop.abort();
      await recording;
    });
    if (config.ARCHIVE_URL === undefined) logger.info('ARCHIVE_URL is not set: nothing is archived, and no rows are dropped');
    else {
      const archiver = startArchiver({
        databaseUrl: config.DATABASE_URL,
        store: openStore(config.ARCHIVE_URL, storeOptionsOf(config)),
        days: retentionDaysOf(config),
        // Only one recorder archives, for every shard.
        symbols: config.SYMBOLS,
        logger,
        metrics,
        onDropped: () => partitions.forget(),
      });
      closer.add('archiver', () => archiver.close());
    }
    return { address };
  });
}
