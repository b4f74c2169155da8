import { openStore, storeOptionsOf } from '@market-state/archive';
import { METHOD_RULES } from '@market-state/contracts';
import { createEventLog } from '@market-state/event-log';
import { WHOLE_PROCESS } from '@market-state/grpc';
import { waitFor } from '@market-state/lifecycle';
import { pingPostgres } from '@market-state/postgres';
import { bootService, type RunningService } from '@market-state/service';
import { retentionDaysOf } from '../archive/archive-settings';
import { startArchiver } from '../archive/start-archiver';
import { type RecorderConfig, serviceSettingsOf } from '../config';
import { EVENT_LOG, POSTGRES, watchStores } from '../watch-stores';
import { createPartitions } from '../store/partitions';
import { recordSymbol } from './record-symbol';
import { createRecorderMetrics } from './recorder-metrics';

export interface RunningRecorder extends RunningService {
  readonly address: string;
}

/** Waits for its stores, then runs one loop per symbol of its shard. */
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
    const pool = service.pool({ url: config.DATABASE_URL, max: config.recordedSymbols.length * 2 + 2 });
    const log = createEventLog(config.REDIS_URL, { logger });
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
    const recording = Promise.all(config.recordedSymbols.map((symbol) => recordSymbol(deps, symbol, stop.signal)));
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
