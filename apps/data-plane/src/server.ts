import { createArchiveReader, folderOfStore, openStore, storeOptionsOf } from '@market-state/archive';
import { rpcSettingsOf } from '@market-state/config';
import { CALLERS, feed, IDEMPOTENT, labeling } from '@market-state/contracts';
import { createEventLog } from '@market-state/event-log';
import { createClient, createHealth, followHealth, openIdentity, startGrpcServer, WHOLE_PROCESS } from '@market-state/grpc';
import { type Closable, createCloser } from '@market-state/lifecycle';
import { createLogger } from '@market-state/logging';
import { createPool, pingPostgres } from '@market-state/postgres';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import { packetDaysOf, retentionDaysOf } from './archive/archive-settings';
import { startDayTables } from './catalog/day-tables';
import { watchStorage } from './catalog/storage';
import type { RpcConfig } from './config';
import { createFeeds } from './feeds';
import { EVENT_LOG, POSTGRES, watchStores } from './watch-stores';
import { registerGapMetrics, watchLedger } from './market/ledger-watch';
import { startRecordedWatch } from './market/recorded-watch';
import { startTail } from './market/tail';
import { startVenues } from './market/venues';
import type { RpcDeps } from './rpc/deps';
import { bindMarketDataService } from './rpc/service';
import { readRecentMarket } from './store/recent-market';
import { processTimer } from './window/paced-frames';

export interface RunningDataPlane extends Closable {
  /** `host:port` of the MarketDataService. */
  readonly address: string;
  readonly opsPort: number;
  /** Resolves when the state of every symbol is read from the log; until then data calls are UNAVAILABLE. */
  readonly whenReady: Promise<void>;
}

/** Starts the RPC process. It answers at once, about its own health at least, and waits for its stores by itself. */
export async function startDataPlane(config: RpcConfig): Promise<RunningDataPlane> {
  const logger = createLogger('data-plane', { level: config.LOG_LEVEL });
  const metrics = createMetrics('data-plane');
  const closer = createCloser();
  try {
    const identity = openIdentity('data-plane', rpcSettingsOf(config), { logger, metrics });
    closer.add('identity', async () => identity.close());
    const pool = createPool({ url: config.DATABASE_URL, logger, applicationName: 'data-plane', max: 8, endsWithCaller: true });
    closer.add('postgres', () => pool.end());
    const log = createEventLog(config.REDIS_URL, { logger });
    closer.add('event log', () => log.close());
    const peer = identity.to('data-plane-feed');
    const feeds = createFeeds({
      addresses: config.FEED_ADDRESS,
      open: (address) => createClient({ address, peer, definition: feed.FeedServiceService, idempotent: IDEMPOTENT, metrics }),
    });
    closer.add('feed clients', () => feeds.close());
    const feedHealth = followHealth({ addresses: config.FEED_ADDRESS, peer });
    closer.add('feed health', () => feedHealth.close());
    const recorderHealth = followHealth({ addresses: config.RECORDER_ADDRESS, peer: identity.to('data-plane-recorder') });
    closer.add('recorder health', () => recorderHealth.close());

    const archive =
      config.ARCHIVE_URL === undefined ? undefined : createArchiveReader(openStore(config.ARCHIVE_URL, storeOptionsOf(config)));
    closer.add('archive', async () => archive?.close());
    const labelingClient =
      config.LABELING_ADDRESS === undefined
        ? undefined
        : createClient({
            definition: labeling.LabelingServiceService,
            address: config.LABELING_ADDRESS,
            peer: identity.to('labeling'),
            idempotent: IDEMPOTENT,
            metrics,
          });
    closer.add('labeling client', async () => labelingClient?.close());

    const health = createHealth([POSTGRES, EVENT_LOG]);
    closer.add('store watch', watchStores(health, { postgres: () => pingPostgres(pool), event_log: () => log.ping() }));
    const wallNowMs = Date.now;
    const tail = startTail({ log, logger, wallNowMs, readRecent: (symbol) => readRecentMarket(pool, symbol) }, config.SYMBOLS);
    closer.add('tail', () => tail.close());
    registerGapMetrics(metrics, tail);

    const venues = startVenues(pool, tail, config.served);
    closer.add('venues', () => venues.close());

    const recordedWatch = startRecordedWatch(pool);
    closer.add('recorded watch', () => recordedWatch.close());
    const ledgerWatch = watchLedger({ pool, tail, recorded: recordedWatch, logger });
    closer.add('ledger watch', () => ledgerWatch.close());
    const storage = {
      archiveFolder: config.ARCHIVE_URL === undefined ? undefined : folderOfStore(config.ARCHIVE_URL),
      hotDays: config.HOT_DAYS,
      archiveDays: config.ARCHIVE_DAYS,
      days: retentionDaysOf(config),
      packetDays: packetDaysOf(config),
    };
    const storageWatch = watchStorage({ pool, storage, tail }, metrics, logger);
    closer.add('storage watch', () => storageWatch.close());
    const dayTables = startDayTables({ pool, archive, venues, logger, wallNowMs, symbols: tail.symbols });
    closer.add('day tables', () => dayTables.close());
    const deps: RpcDeps = {
      logger,
      tail,
      venues,
      pool,
      archive,
      storage,
      dayTables,
      log,
      feeds,
      labeling: labelingClient,
      feedHealth,
      recorderHealth,
      recordedWatch,
      timer: processTimer,
      wallNowMs,
    };
    const ops = await startOpsServer({
      port: config.OPS_PORT,
      host: config.OPS_HOST,
      registry: metrics.registry,
      ready: () => ({
        ready: tail.isReady(),
        checks: { log_read: tail.isReady(), postgres: health.get(POSTGRES) ?? false, event_log: health.get(EVENT_LOG) ?? false },
      }),
    });
    closer.add('ops', () => ops.close());
    health.set(WHOLE_PROCESS, tail.isReady());
    const server = await startGrpcServer({
      address: config.GRPC_ADDRESS,
      services: [bindMarketDataService(deps)],
      identity,
      callers: CALLERS,
      health,
      logger,
      metrics,
      shutdownWaitMs: config.SHUTDOWN_WAIT_MS,
    });
    closer.add('grpc', () => server.close());
    const whenReady = tail.whenReady.then(() => health.set(WHOLE_PROCESS, true));
    return { address: server.address, opsPort: ops.port, whenReady, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}
