import { createArchiveReader, openStore } from '@market-state/archive';
import { marketData } from '@market-state/contracts';
import { createEventLog, type EventLog } from '@market-state/event-log';
import { loadPolicy } from '@market-state/labeler';
import type { Closer } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { pingPostgres } from '@market-state/postgres';
import type { Service } from '@market-state/service';
import type { Pool } from 'pg';
import { type ArchiveDeps, spanningCheckpointReader, spanningPacketReader } from './archive/spanning-readers';
import { isArchiveNeeded, createArchiveTotals, type ReadArchiveTotals, createArchivedFiles } from './store/archive-files';
import type { CheckpointReader, LabelStore } from './labeling/label-store';
import type { LabelingConfig } from './config';
import {
  type EventIndex,
  createValidityReader,
  type ReadValidity,
  type EventKeeper,
  keepEvents,
  type FeedbackStore,
} from './events/event-index';
import type { StatisticsStore } from './packets/packet-statistics';
import { createLabelMetrics, type LabelMetrics } from './labeling/label-metrics';
import { createPolicyLabeler, type Labeler } from './labeling/policy-labeler';
import type { PacketReader } from './packets/packet';
import type { ShareStore } from './share';
import { createPacketSigner, noSigner, type PacketSigner, type SigningKeyStore, openSigningKey } from './packets/packet-signer';
import { createPostgresCheckpointReader, createPostgresPacketReader } from './store/postgres-packet-reader';
import { createPostgresEventIndex } from './store/postgres-event-index';
import { createPostgresFeedbackStore } from './store/postgres-feedback-store';
import { createPostgresStatisticsStore } from './store/postgres-statistics-store';
import { createPostgresLabelStore } from './store/postgres-label-store';
import { createPostgresShareStore } from './store/postgres-share-store';
import { createPostgresSigningKeyStore } from './store/postgres-signing-key-store';
import { enterEvents } from './store/store-events';
import { type LogClient, noLogClient } from './labeling/recorded-entries';
import { shareVerifications, type Verify, verifyPacket } from './verify/verification';

/** Symbols that store packets at the same time; the others wait. */
const WRITERS_MAX = 16;
const INDEX_CONNECTIONS = 4;
const INDEX_STATEMENT_MS = 5_000;

export interface LabelingDeps {
  readonly log: EventLog;
  readonly store: LabelStore;
  readonly reader: PacketReader;
  readonly checkpoints: CheckpointReader;
  readonly archiveTotals: ReadArchiveTotals;
  readonly eventKeeper: EventKeeper;
  readonly events: EventIndex;
  readonly validity: ReadValidity;
  readonly feedback: FeedbackStore;
  readonly shares: ShareStore;
  readonly figures: StatisticsStore;
  readonly sharesLive: boolean;
  readonly verify: Verify;
  readonly signingKeys: SigningKeyStore;
  readonly signer: PacketSigner;
  readonly labeler: Labeler;
  readonly logEntries: LogClient;
  readonly pingDatabase: () => Promise<unknown>;
  /**
   * @throws {Error} if packets exist only in the archive and no archive is configured, because reads would omit them
   */
  readonly refuseMissingArchive: () => Promise<void>;
  readonly metrics: LabelMetrics;
  readonly clock: () => number;
  readonly logger: Logger;
}

export interface LabelingOverrides {
  readonly labeler?: Labeler;
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly labelledAgainMs?: number;
  readonly archivePauseMs?: number;
}

/**
 * Creates each dependency once; all close with the service.
 * @throws {SigningKeyFileError} if the signing key is unusable
 */
export function buildDeps(config: LabelingConfig, overrides: LabelingOverrides, service: Service): LabelingDeps {
  const { logger, closer } = service;
  const signer = config.signingKeyFile === undefined ? noSigner : createPacketSigner(openSigningKey(config.signingKeyFile));
  const pool = service.pool({ url: config.databaseUrl, max: Math.min(config.symbols.length, WRITERS_MAX) + 2, endsWithCaller: true });
  const indexPool = service.pool({
    url: config.databaseUrl,
    applicationName: 'labeling-index',
    max: INDEX_CONNECTIONS,
    statementTimeoutMs: INDEX_STATEMENT_MS,
    endsWithCaller: true,
  });
  const eventKeeper = keepEvents({ enter: (symbols) => enterEvents(pool, symbols), logger });
  closer.add('event keeper', () => eventKeeper.close());
  const archive = openArchive(config, pool, closer);
  const packets = createPostgresPacketReader(pool);
  const hotCheckpoints = createPostgresCheckpointReader(pool);
  const checkpoints = archive === undefined ? hotCheckpoints : spanningCheckpointReader(hotCheckpoints, archive);
  const signingKeys = createPostgresSigningKeyStore(pool);
  const feedback = createPostgresFeedbackStore(indexPool);
  const others = config.servedSymbols.filter((symbol) => !config.symbols.includes(symbol));
  const policy = loadPolicy();
  const logEntries = openLogClient(config, service);
  const events = onceWhole(eventKeeper, createPostgresEventIndex(indexPool), others);
  const log = createEventLog(config.redisUrl, { logger });
  closer.add('event log', () => log.close());
  return {
    log,
    store: createPostgresLabelStore(pool),
    reader: archive === undefined ? packets : spanningPacketReader(packets, archive),
    checkpoints,
    archiveTotals: createArchiveTotals(pool),
    eventKeeper,
    events,
    validity: createValidityReader(events),
    feedback: { record: (judgement) => eventKeeper.whole(others).then(() => feedback.record(judgement)) },
    shares: createPostgresShareStore(indexPool),
    figures: createPostgresStatisticsStore(indexPool),
    sharesLive: config.sharesLive,
    verify: shareVerifications((packet, signal) => verifyPacket({ checkpoints, signingKeys, policy, logEntries }, packet, signal)),
    signingKeys,
    signer,
    logEntries,
    labeler: overrides.labeler ?? createPolicyLabeler(policy),
    pingDatabase: () => pingPostgres(pool),
    refuseMissingArchive: () => (archive === undefined ? refuseMissingArchive(pool) : Promise.resolve()),
    metrics: createLabelMetrics(service.metrics.registry),
    clock: overrides.clock ?? Date.now,
    logger,
  };
}

/**
 * Makes reads wait until previously pushed packets are indexed.
 * @param others symbols whose packets another process pushes
 */
function onceWhole(keeper: EventKeeper, index: EventIndex, others: readonly string[]): EventIndex {
  const whole = (symbol: string | null) => keeper.whole(symbol === null ? others : others.filter((other) => other === symbol));
  return {
    list: (filter, ...how) => whole(filter.symbol).then(() => index.list(filter, ...how)),
    stability: (window) => whole(window.symbol).then(() => index.stability(window)),
    labels: (window, count) => whole(window.symbol).then(() => index.labels(window, count)),
    hours: (span) => whole(span.symbol).then(() => index.hours(span)),
    held: (...requested) => whole(null).then(() => index.held(...requested)),
  };
}

function openLogClient({ dataPlaneAddresses }: LabelingConfig, { clientsOf }: Service): LogClient {
  if (dataPlaneAddresses === undefined) return noLogClient;
  return clientsOf('data-plane', dataPlaneAddresses)(marketData.MarketDataServiceService).call;
}

function openArchive({ archiveUrl, storeOptions }: LabelingConfig, pool: Pool, closer: Closer): ArchiveDeps | undefined {
  if (archiveUrl === undefined) return undefined;
  const reader = createArchiveReader(openStore(archiveUrl, storeOptions));
  closer.add('archive reader', () => reader.close());
  return { files: createArchivedFiles(pool), reader };
}

async function refuseMissingArchive(pool: Pool): Promise<void> {
  if (await isArchiveNeeded(pool)) throw new Error('ARCHIVE_URL is not set, but some packets of this database are only in the archive');
}
