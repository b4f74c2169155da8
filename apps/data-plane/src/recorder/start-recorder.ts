import { openStore, storeOptionsOf } from '@market-state/archive';
import { rpcSettingsOf } from '@market-state/config';
import { CALLERS } from '@market-state/contracts';
import { createEventLog } from '@market-state/event-log';
import { createHealth, openIdentity, startGrpcServer, WHOLE_PROCESS } from '@market-state/grpc';
import { type Closable, createCloser, waitFor } from '@market-state/lifecycle';
import { createLogger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import { retentionDaysOf } from '../archive/archive-settings';
import { startArchiver } from '../archive/start-archiver';
import type { RecorderConfig } from '../config';
import { EVENT_LOG, POSTGRES, watchStores } from '../watch-stores';
import { createPartitions } from '../store/partitions';
import { recordSymbol } from './record-symbol';
import { createRecorderMetrics } from './recorder-metrics';

export interface RunningRecorder extends Closable {
  /** `host:port` of the health service. */
  readonly address: string;
  readonly opsPort: number;
}

/** Starts the recorder: one loop for each symbol of its shard, health and ops servers. Waits for its stores first. */
export async function startRecorder(config: RecorderConfig, signal?: AbortSignal): Promise<RunningRecorder> {
  const logger = createLogger('data-plane-recorder', { level: config.LOG_LEVEL });
  const metrics = createMetrics('data-plane-recorder');
  const closer = createCloser();
  try {
    const identity = openIdentity('data-plane-recorder', rpcSettingsOf(config), { logger, metrics });
    closer.add('identity', async () => identity.close());
    const pool = createPool({
      url: config.DATABASE_URL,
      logger,
      applicationName: 'data-plane-recorder',
      max: config.recordedSymbols.length * 2 + 2,
    });
    closer.add('postgres', () => pool.end());
    const log = createEventLog(config.REDIS_URL, { logger });
    closer.add('event log', () => log.close());

    const health = createHealth([POSTGRES, EVENT_LOG]);
    const failing = new Set<string>();
    const isReady = (): boolean => failing.size === 0 && health.get(POSTGRES) === true && health.get(EVENT_LOG) === true;
    health.onChange(() => health.set(WHOLE_PROCESS, isReady()));
    const ops = await startOpsServer({
      port: config.OPS_PORT,
      host: config.OPS_HOST,
      registry: metrics.registry,
      ready: () => ({ ready: isReady(), checks: { postgres: health.get(POSTGRES) ?? false, event_log: health.get(EVENT_LOG) ?? false } }),
    });
    closer.add('ops', () => ops.close());
    health.set(WHOLE_PROCESS, false);
    const server = await startGrpcServer({
      address: config.GRPC_ADDRESS,
      services: [],
      identity,
      callers: CALLERS,
      health,
      logger,
      metrics,
      shutdownWaitMs: config.SHUTDOWN_WAIT_MS,
    });
    closer.add('grpc', () => server.close());

    await waitFor('postgres', () => pingPostgres(pool), { signal, logger });
    await waitFor('event log', () => log.ping(), { signal, logger });
    const stopWatching = watchStores(health, { postgres: () => pingPostgres(pool), event_log: () => log.ping() });
    closer.add('store watch', stopWatching);
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
        // Of several recorders one archives, those of every shard.
        symbols: config.SYMBOLS,
        logger,
        metrics,
        onDropped: () => partitions.forget(),
      });
      closer.add('archiver', () => archiver.close());
    }
    return { address: server.address, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}
