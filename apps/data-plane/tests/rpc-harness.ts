import { Readable } from 'node:stream';
import { feed, labeling, marketData } from '@market-state/contracts';
import { failedPrecondition, ServiceError, unavailable } from '@market-state/errors';
import { createEventLog, type EventLog } from '@market-state/event-log';
import {
  bindService,
  createClient,
  createHealth,
  type GrpcClient,
  type GrpcServer,
  type Health,
  startGrpcServer,
} from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { patientPeer, startStores, testRpcVariables, testServing, type TestStores, waitUntil } from '@market-state/testing';
import type { Pool } from 'pg';
import { readRecorderConfig, readRpcConfig, type RunningDataPlane, type RunningRecorder, startDataPlane, startRecorder } from '../src';
import type { LogFixture } from './log-fixture';
import { SYMBOL } from './log-fixture';

/** Feed process scripted by the test. */
interface FakeFeed {
  answer: (request: feed.GetDeepBookRequest) => Promise<feed.GetDeepBookResponse>;
  /** State of its one symbol. */
  phase: string;
  rejected: Record<string, number>;
  readonly server: GrpcServer;
  readonly health: Health;
}

export const FEED_STARTED_MS = Date.UTC(2024, 7, 8);

async function startFakeFeed(): Promise<FakeFeed> {
  const health = createHealth();
  const fake = {
    phase: 'playing',
    rejected: {},
    answer: async (): Promise<feed.GetDeepBookResponse> => Promise.reject(failedPrecondition('book_not_available', 'No book.')),
  };
  const server = await startGrpcServer({
    ...testServing('data-plane-feed'),
    address: '127.0.0.1:0',
    health,
    logger: silentLogger(),
    shutdownWaitMs: 0,
    services: [
      bindService(feed.FeedServiceService, {
        importArchive: () => Readable.from([]),
        getDeepBook: (request) => running.answer(request),
        getFeedState: async () => ({
          startedMs: FEED_STARTED_MS,
          symbols: [
            {
              symbol: SYMBOL,
              phase: running.phase,
              pass: 1,
              epoch: 1,
              lastOrdinal: 1,
              feedClockMs: 1,
              rejectedTotal: running.rejected,
              standsBy: false,
              fillingFromMs: 0,
            },
          ],
        }),
      }),
    ],
  });
  const running: FakeFeed = Object.assign(fake, { server, health });
  return running;
}

/** Labeling process with the test's packets; can be made to fail. */
interface FakeLabeling {
  packets: labeling.PacketRecord[];
  isAway: boolean;
  readonly server: GrpcServer;
}

async function startFakeLabeling(): Promise<FakeLabeling> {
  const unused = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not offered here.'));
  const there = (): void => {
    if (running.isAway) throw unavailable('upstream_unavailable', 'Away.');
  };
  const server = await startGrpcServer({
    ...testServing('labeling'),
    address: '127.0.0.1:0',
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
    services: [
      bindService(labeling.LabelingServiceService, {
        getLatestPacket: unused,
        async listPackets({ fromWindowEndMs, toWindowEndMs, pageSize, pageToken }) {
          there();
          const fromMs = Math.max(fromWindowEndMs, pageToken === '' ? 0 : Number(pageToken));
          const found = running.packets.filter(
            ({ windowEndMs }) => windowEndMs >= fromMs && (toWindowEndMs === 0 || windowEndMs < toWindowEndMs),
          );
          const page = found.slice(0, pageSize);
          return { packets: page, nextPageToken: found.length > page.length ? String((page.at(-1)?.windowEndMs ?? 0) + 1) : '' };
        },
        async listNeighbours({ windowEndMs, before, after, asOfMs }) {
          there();
          const brief = (packet: labeling.PacketRecord): labeling.PacketBrief => ({
            windowEndMs: packet.windowEndMs,
            sequence: packet.sequence,
            lineageDigest: packet.lineageDigest,
            brief: packet.body,
          });
          const known = running.packets.filter(({ knownTsMs }) => asOfMs === 0 || knownTsMs <= asOfMs);
          const earlier = known.filter((packet) => packet.windowEndMs < windowEndMs);
          const later = known.filter((packet) => packet.windowEndMs > windowEndMs);
          return { before: (before === 0 ? [] : earlier.slice(-before)).map(brief), after: later.slice(0, after).map(brief) };
        },
        getPacket: unused,
        getPacketArchive: unused,
        listHeldPackets: unused,
        planPacketSpan: unused,
        listCheckpoints: unused,
        getCheckpoint: unused,
        listSigningKeys: unused,
        searchEvents: unused,
        listHistory: unused,
        getStability: unused,
        recordFeedback: unused,
        createShare: unused,
        listShares: unused,
        revokeShare: unused,
        getShare: unused,
        verifyEvent: unused,
        listSelfChecks: unused,
        recordGatewayMinutes: unused,
        listLatencyDays: unused,
        listWindowMonths: unused,
        listIncidents: unused,
        async *streamPackets() {
          await unused();
        },
      }),
    ],
  });
  const running: FakeLabeling = { packets: [], isAway: false, server };
  return running;
}

/** Recorder and RPC process on real stores, with a feed played by the test. */
export interface System {
  readonly stores: TestStores;
  readonly pool: Pool;
  /** Table owner, for changes that no service may make. */
  readonly owner: Pool;
  readonly log: EventLog;
  readonly feed: FakeFeed;
  readonly labeling: FakeLabeling;
  readonly recorder: RunningRecorder;
  readonly dataPlane: RunningDataPlane;
  readonly call: GrpcClient<typeof marketData.MarketDataServiceService>['call'];
  /** Appends the fixture's entries and waits until they are recorded and served. */
  play(fixture: LogFixture, symbol?: string): Promise<void>;
  /** Restarts the RPC process on the same stores. */
  restartDataPlane(): Promise<RunningDataPlane>;
  close(): Promise<void>;
}

export async function startDataPlaneSystem(settings: Readonly<Record<string, string>> = {}): Promise<System> {
  const closer = createCloser();
  const stores = await startStores({ services: ['data_plane'] });
  closer.add('stores', () => stores.stop());
  const logger = silentLogger();
  const env = {
    ...testRpcVariables('data-plane-recorder'),
    DATABASE_URL: stores.postgresUrl('data_plane'),
    REDIS_URL: stores.redisUrl,
    SYMBOLS: SYMBOL,
    LOG_LEVEL: 'silent',
    SHUTDOWN_WAIT_MS: '0',
    ...settings,
  };
  const pool = createPool({ url: env.DATABASE_URL, logger, applicationName: 'test' });
  closer.add('pool', () => pool.end());
  const owner = createPool({ url: stores.ownerUrl('data_plane'), logger, applicationName: 'owner' });
  closer.add('owner', () => owner.end());
  await pool.query(
    `INSERT INTO served_instrument (symbol, feed, venue, venue_instrument, contract_value, source_kind)
      SELECT symbol, 'recording', 'binance-coinm', replace(symbol, '-', '_'), 100, 'recorded' FROM unnest($1::text[]) AS of(symbol)`,
    [env.SYMBOLS.split(',')],
  );
  const log = createEventLog(stores.redisUrl, { logger });
  closer.add('log', () => log.close());
  const fakeFeed = await startFakeFeed();
  closer.add('feed', () => fakeFeed.server.close());
  const fakeLabeling = await startFakeLabeling();
  closer.add('labeling', () => fakeLabeling.server.close());
  const recorder = await startRecorder(readRecorderConfig(env));
  closer.add('recorder', () => recorder.close());
  const rpcEnv = {
    ...env,
    ...testRpcVariables('data-plane'),
    FEED_ADDRESS: fakeFeed.server.address,
    RECORDER_ADDRESS: recorder.address,
    LABELING_ADDRESS: fakeLabeling.server.address,
  };
  const start = async (): Promise<RunningDataPlane> => {
    const dataPlane = await startDataPlane(readRpcConfig(rpcEnv));
    closer.add('data plane', () => dataPlane.close());
    await dataPlane.whenReady;
    return dataPlane;
  };
  const dataPlane = await start();
  const client = createClient({
    definition: marketData.MarketDataServiceService,
    ...patientPeer('data-plane'),
    address: dataPlane.address,
  });
  closer.add('client', () => client.close());

  return {
    stores,
    pool,
    owner,
    log,
    feed: fakeFeed,
    labeling: fakeLabeling,
    recorder,
    dataPlane,
    call: client.call,
    restartDataPlane: start,
    async play(fixture, symbol = SYMBOL) {
      const entries = fixture.take();
      const lastTickMs = fixture.events.findLast((event) => event.kind === 'tick')?.exchangeTsMs;
      await log.append(symbol, entries);
      const last = entries.at(-1)?.ordinal ?? 0;
      await waitUntil('recorded', async () => {
        const { rows } = await pool.query<{ ordinal: string }>('SELECT ordinal FROM consumer_position WHERE symbol = $1', [symbol]);
        return Number(rows[0]?.ordinal ?? 0) >= last;
      });
      if (lastTickMs !== undefined)
        await waitUntil('served', async () => (await client.call.getFreshness({ symbol })).feedClockMs >= lastTickMs);
    },
    close: () => closer.close(),
  };
}

export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ServiceError) return error;
  throw new Error('the call did not fail', { cause: error });
}

export async function faultsOf(call: Promise<unknown>): Promise<string[]> {
  const error = await failureOf(call);
  expect(error.code).toBe('INVALID_ARGUMENT');
  return error.faults.map((fault) => fault.field).sort();
}
