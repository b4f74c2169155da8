import { createArchiveReader, createArchiveWriter, keepArchive, openStore } from '@market-state/archive';
import { METHOD_RULES, labeling } from '@market-state/contracts';
import { type Health, WHOLE_PROCESS, bindService, type BoundService, withDeps } from '@market-state/grpc';
import { type Closable, delay, runUntilClosed, waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type RunningService, type Service, bootService } from '@market-state/service';
import type { Readiness } from '@market-state/telemetry';
import { type ArchiveSymbolDeps, archiveSymbol, createArchiveMetrics } from './archive/archive-symbol';
import { checkpointKind, packetKind } from './archive/archived-kinds';
import type { LabelingConfig } from './config';
import { type LabelingDeps, type LabelingOverrides, buildDeps } from './deps';
import { keepLabeling } from './labeling/label-symbol';
import type { StoredPacket } from './packets/packet';
import { type PacketFeed, createPacketFeed } from './packets/packet-feed';
import { type PacketStatistics, createPacketStatistics } from './packets/packet-statistics';
import { listSymbols } from './store/archive-files';
import { createSelfChecks, type SelfChecks } from './verify/self-check';
import { createShare, getShare, listShares, revokeShare } from './rpc/shares';
import { getCheckpoint, listCheckpoints, listSelfChecks, listSigningKeys, verifyEvent } from './rpc/verification';
import { getLatestPacket, getPacketArchive, listNeighbours, planPacketSpan, listPackets, getPacket, streamPackets } from './rpc/packets';
import { getStability, listHeldPackets, listHistory, searchEvents } from './rpc/events';
import { listIncidents, listWindowMonths, recordGatewayMinutes, listLatencyDays } from './rpc/statistics';
import { recordFeedback } from './rpc/record-feedback';

const DEPENDENCIES = ['postgres', 'event_log', 'labels'] as const;
type Dependency = (typeof DEPENDENCIES)[number];

const CHECK_INTERVAL_MS = 1_000;

type Check = () => Promise<void>;

async function watchHealth(health: Health, checks: Readonly<Record<Dependency, Check>>, logger: Logger): Promise<Closable> {
  async function checkOne(dependency: Dependency): Promise<void> {
    const error = await checks[dependency]().then(
      () => undefined,
      (failure: unknown) => failure ?? new Error('check failed'),
    );
    const before = health.get(dependency);
    health.set(dependency, error === undefined);
    if (before === true && error !== undefined) logger.warn({ dependency, err: error }, 'dependency lost');
    if (before === false && error === undefined) logger.info({ dependency }, 'dependency available');
  }

  async function checkAll(): Promise<void> {
    await Promise.all(DEPENDENCIES.map(checkOne));
  }

  await checkAll();
  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await delay(CHECK_INTERVAL_MS, signal).catch(() => undefined);
      await checkAll();
    }
  });
}

/** Maximum age of each symbol's newest packet: six windows at recorded speed. */
const LABELS_FRESH_MS = 60_000;

/** The event log retains 75 minutes, which a restarting labeler replays: two whole hours cover them. */
const LABELLED_AGAIN_MS = 2 * 3_600_000;

const ARCHIVE_PAUSE_MS = 5_000;

const SWEEP_PAUSE_MS = 600_000;

const FOLD_PAUSE_MS = 600_000;

const SELF_CHECK_PAUSE_MS = 30_000;

export interface LabelingServer extends RunningService {
  readonly address: string;
}

export function startLabeling(config: LabelingConfig, overrides: LabelingOverrides = {}, signal?: AbortSignal): Promise<LabelingServer> {
  const options = {
    ...config,
    name: 'labeling',
    methodRules: METHOD_RULES,
    dependencies: DEPENDENCIES,
    logger: overrides.logger,
    signal,
  };
  return bootService(options, async (service) => {
    const { logger, health, closer, metrics } = service;
    service.reportReadiness(() => readinessOf(health));
    const deps = buildDeps(config, overrides, service);
    await waitFor('postgres', deps.pingDatabase, { logger, signal });
    await waitFor('event log', () => deps.log.ping(), { logger, signal });
    await deps.refuseMissingArchive();
    await registerSigningKey(deps, signal);

    const newest = await Promise.all(config.symbols.map((symbol) => deps.reader.newest(symbol)));
    const feed = createPacketFeed(newest.filter((packet) => packet !== undefined));
    const onPacket = (packet: StoredPacket): void => {
      feed.publish(packet);
      deps.eventKeeper.stored(packet.symbol);
    };
    const figures = await countPackets(config, deps, service);
    for (const symbol of config.symbols) {
      deps.eventKeeper.stored(symbol);
      const labelling = keepLabeling({ ...deps, onPacket, onStored: figures.stored }, symbol);
      closer.add(`labelling of ${symbol}`, () => labelling.close());
    }
    const { archiveUrl, storeOptions, keptDays: days, databaseUrl } = config;
    if (archiveUrl !== undefined) {
      const { labelledAgainMs = LABELLED_AGAIN_MS, archivePauseMs: pauseMs = ARCHIVE_PAUSE_MS } = overrides;
      const archiver = startArchiver({
        databaseUrl,
        store: openStore(archiveUrl, storeOptions),
        days,
        pauseMs,
        labelledAgainMs,
        metrics: createArchiveMetrics(metrics.registry),
        logger,
      });
      closer.add('archiver', () => archiver.close());
    }
    service.repeat('share sweep', SWEEP_PAUSE_MS, () => deps.shares.sweep(deps.clock()));
    const selfChecks = createSelfChecks(config.symbols, { ...deps, random: Math.random, registry: metrics.registry });
    service.repeat('self-checks', SELF_CHECK_PAUSE_MS, selfChecks.runNext);
    const watching = await watchHealth(health, checksOf(config, deps, feed), logger);
    closer.add('health', () => watching.close());
    const address = await service.serve({
      address: config.grpcAddress,
      services: [bindLabelingService({ ...deps, feed, selfChecks, symbols: config.servedSymbols, labelledSymbols: config.symbols })],
      shutdownWaitMs: config.shutdownWaitMs,
    });
    return { address };
  });
}

async function countPackets(
  { symbols }: LabelingConfig,
  deps: LabelingDeps,
  { closer, repeat, signal }: Service,
): Promise<PacketStatistics> {
  const { figures: store, clock, logger } = deps;
  const all = await waitFor('figures', () => store.countedSince(), { logger, signal });
  const counted = new Map([...all].filter(([symbol]) => symbols.includes(symbol)));
  const figures = createPacketStatistics({ store, counted, clock, logger });
  closer.add('figures', () => figures.close());
  repeat('daily statistics', FOLD_PAUSE_MS, () => store.fold(clock()));
  return figures;
}

/** Runs before the first packet is signed, so that every readable signature has a known key. */
async function registerSigningKey({ signer, signingKeys, clock, logger }: LabelingDeps, signal?: AbortSignal): Promise<void> {
  const { key } = signer;
  if (key === undefined) return logger.warn('packets are not signed: SIGNING_KEY_FILE is not set');
  await waitFor('signing key registry', () => signingKeys.register(key, clock()), { logger, signal });
  logger.info({ signing_key_id: key.keyId }, 'packets are signed');
}

function checksOf({ symbols }: LabelingConfig, deps: LabelingDeps, feed: PacketFeed) {
  return {
    postgres: async () => void (await deps.pingDatabase()),
    event_log: async () => void (await deps.log.ping()),
    labels: async () => {
      const stale = symbols.filter((symbol) => deps.clock() - (feed.newestMadeMs(symbol) ?? 0) > LABELS_FRESH_MS);
      if (stale.length > 0) throw new Error(`no packet in the last ${LABELS_FRESH_MS} ms: ${stale.join(', ')}`);
    },
  };
}

/** Ready while both stores are available; stale labels are served with their age. */
function readinessOf(health: Health): Readiness {
  const checks = Object.fromEntries(DEPENDENCIES.map((dependency) => [dependency, health.get(dependency) === true]));
  const ready = health.get('postgres') === true && health.get('event_log') === true && health.get(WHOLE_PROCESS) === true;
  return { ready, checks };
}

interface ArchiverOptions extends Omit<ArchiveSymbolDeps, 'pool' | 'reader' | 'writer'> {
  readonly databaseUrl: string;
  readonly pauseMs: number;
}

function startArchiver(options: ArchiverOptions): Closable {
  const { databaseUrl, store, pauseMs, logger } = options;
  const reader = createArchiveReader(store);
  const archiver = keepArchive({
    databaseUrl,
    store,
    pauseMs,
    logger,
    applicationName: 'labeling-archiver',
    connectionsMax: 2,
    // An hour of packets is deleted in one statement.
    statementTimeoutMs: 60_000,
    lockNumber: 4_801_339,
    begin:
      ({ pool, lock, signal }) =>
      async () => {
        const writer = createArchiveWriter(store);
        try {
          for (const symbol of await listSymbols(pool))
            for (const kind of [packetKind, checkpointKind])
              if (!signal.aborted) await archiveSymbol({ ...options, pool, reader, writer }, lock, kind, symbol, signal);
        } finally {
          await writer.close();
        }
      },
  });
  return {
    async close() {
      await archiver.close();
      await reader.close();
    },
  };
}

interface RpcDeps extends LabelingDeps {
  readonly feed: PacketFeed;
  readonly selfChecks: SelfChecks;
  readonly symbols: readonly string[];
  readonly labelledSymbols: readonly string[];
}

function bindLabelingService(deps: RpcDeps): BoundService {
  const handlers = {
    getLatestPacket,
    getPacket,
    getPacketArchive,
    listHeldPackets,
    streamPackets,
    listPackets,
    planPacketSpan,
    listNeighbours,
    listCheckpoints,
    getCheckpoint,
    listSigningKeys,
    searchEvents,
    listHistory,
    getStability,
    recordFeedback,
    createShare,
    listShares,
    revokeShare,
    getShare,
    verifyEvent,
    listSelfChecks,
    recordGatewayMinutes,
    listLatencyDays,
    listWindowMonths,
    listIncidents,
  };
  return bindService(labeling.LabelingServiceService, withDeps(deps, handlers));
}
