import { createArchiveReader, folderOfStore, openStore, storeOptionsOf } from '@market-state/archive';
import { feed, IDEMPOTENT, labeling, METHOD_RULES, marketData } from '@market-state/contracts';
import { createEventLog } from '@market-state/event-log';
import { createClient, followHealth, WHOLE_PROCESS, bindService, type BoundService, withDeps } from '@market-state/grpc';
import { IMPORT } from '@market-state/market-data';
import { pingPostgres } from '@market-state/postgres';
import { bootService, type RunningService } from '@market-state/service';
import { packetDaysOf, retentionDaysOf } from './archive/archive-settings';
import { startDayTables } from './catalog/day-tables';
import { watchStorage } from './catalog/storage';
import { type RpcConfig, serviceSettingsOf } from './config';
import { createFeeds } from './feeds';
import { EVENT_LOG, POSTGRES, watchStores } from './watch-stores';
import { registerGapMetrics, watchLedger, startRecordedWatch } from './market/recorded-watch';
import { startTail } from './market/tail';
import { startVenues } from './market/venues';
import type { RpcDeps } from './rpc/deps';
import { readRecentMarket } from './store/recent-market';
import { processTimer } from './window/paced-frames';
import { followMarket } from './rpc/follow-market';
import { getAccuracy } from './rpc/get-accuracy';
import { listChannelDays } from './rpc/list-channel-days';
import { listGaps } from './rpc/list-gaps';
import { listIncidents } from './rpc/list-incidents';
import { getActiveAsset, getLiquidations, listTrades, getBook } from './rpc/current-market';
import { getCatalog, getRights, listInstruments } from './rpc/get-catalog';
import { getDataHealth, getFreshness, getRejections, watchDataHealth } from './rpc/data-health';
import { getSourceRows } from './rpc/get-source-rows';
import { listCandles } from './rpc/list-candles';
import { planSpan, streamStoredRows } from './rpc/stored-rows';
import { streamLogEntries } from './rpc/stream-log-entries';
import { readWindow } from './rpc/read-window';
import { streamReplay } from './rpc/stream-replay';
import { streamRows } from './rpc/stream-rows';

/** Added to the age of current data; entries of many symbols are gathered in between. */
const READ_LOG_EVERY_MS = 20;

export interface RunningDataPlane extends RunningService {
  readonly address: string;
  /** Resolves once every symbol is rebuilt; until then data calls are UNAVAILABLE. */
  readonly whenReady: Promise<void>;
}

/** Serves immediately, at least its own health, and waits for its stores in the background. */
export function startDataPlane(config: RpcConfig): Promise<RunningDataPlane> {
  const options = { ...serviceSettingsOf(config), name: 'data-plane', methodRules: METHOD_RULES, dependencies: [POSTGRES, EVENT_LOG] };
  return bootService(options, async (service) => {
    const { logger, metrics, health, closer, identity } = service;
    const pool = service.pool({ url: config.DATABASE_URL, max: 8, endsWithCaller: true });
    const log = createEventLog(config.REDIS_URL, { logger, readEveryMs: READ_LOG_EVERY_MS });
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
    const toLabeling = config.LABELING_ADDRESS === undefined ? undefined : service.clientsOf('labeling', config.LABELING_ADDRESS);

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
      storageWatch,
      dayTables,
      log,
      imported: config.served.filter(({ feed }) => feed === IMPORT).map(({ symbol }) => symbol),
      feeds,
      labeling: toLabeling?.(labeling.LabelingServiceService),
      feedHealth,
      recorderHealth,
      recordedWatch,
      timer: processTimer,
      wallNowMs,
    };
    service.reportReadiness(() => ({
      ready: tail.isReady(),
      checks: { log_read: tail.isReady(), postgres: health.get(POSTGRES) ?? false, event_log: health.get(EVENT_LOG) ?? false },
    }));
    health.set(WHOLE_PROCESS, tail.isReady());
    const address = await service.serve({
      address: config.GRPC_ADDRESS,
      services: [bindMarketDataService(deps)],
      shutdownWaitMs: config.SHUTDOWN_WAIT_MS,
    });
    const whenReady = tail.whenReady.then(() => health.set(WHOLE_PROCESS, true));
    return { address, whenReady };
  });
}

function bindMarketDataService(deps: RpcDeps): BoundService {
  const handlers = {
    listInstruments,
    getBook,
    listTrades,
    listCandles,
    getFreshness,
    getDataHealth,
    watchDataHealth,
    streamLogEntries,
    readWindow,
    getSourceRows,
    streamReplay,
    streamRows,
    followMarket,
    listGaps,
    listChannelDays,
    getAccuracy,
    listIncidents,
    planSpan,
    streamStoredRows,
    getActiveAsset,
    getLiquidations,
    getCatalog,
    getRights,
    getRejections,
  };
  return bindService(marketData.MarketDataServiceService, withDeps(deps, handlers));
}
