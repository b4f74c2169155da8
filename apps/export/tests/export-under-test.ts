import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ObjectStore, openStore, type StoreOptions } from '@market-state/archive';
import { exports } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { patientPeer, startStores, testPeer, testRpcSettings, type TestStores, waitUntil } from '@market-state/testing';
import Redis from 'ioredis';
import type { Pool } from 'pg';
import type { RunningService } from '@market-state/service';
import { type ExportServer, startExport, startExportWorker } from '../src';
import { type Upstreams, startUpstreams } from './upstreams';
import { archiveTrades, DAY_1_MS, SYMBOL, tradesOf, type TradesMarket } from './trades-market';

export const TENANT = 'ten_one';
const MINUTES = 1_560;

/** Service, worker, stores and upstreams with 26 hours of trades, the last two not archived. */
export interface ExportUnderTest {
  readonly call: GrpcClient<exports.ExportServiceService>['call'];
  readonly outbox: GrpcClient<exports.OutboxServiceService>['call'];
  readonly upstreams: Upstreams;
  readonly market: TradesMarket;
  readonly pool: Pool;
  readonly store: ObjectStore;
  /** Orders an export of all trades in Parquet; fields override this. */
  order(spec?: Partial<exports.ExportSpec>, request?: Partial<exports.CreateJobRequest>): Promise<exports.CreateJobResponse>;
  /** Waits for the end of a job. */
  ended(jobId: string): Promise<exports.Job>;
  /** Orders an export and waits for its end. */
  done(spec?: Partial<exports.ExportSpec>): Promise<exports.Job>;
  file(jobId: string, name: string, fromByte?: number, toByte?: number): Promise<Buffer>;
  startWorker(): Promise<RunningService>;
  stopWorker(): Promise<void>;
  /** Keys of queued jobs. */
  queueKeys(): Promise<string[]>;
  /** Clears Redis. */
  flushQueue(): Promise<void>;
  /** Advances the clock of service and worker. */
  advance(ms: number): void;
  close(): Promise<void>;
}

const EMPTY: exports.ExportSpec = {
  dataset: exports.Dataset.TRADES,
  symbols: [SYMBOL],
  fromMs: DAY_1_MS,
  toMs: 0,
  asOfMs: 0,
  format: exports.FileFormat.UNSPECIFIED,
  compression: exports.Compression.UNSPECIFIED,
  intervalMs: 0,
  depth: 0,
  columns: [],
};

/** Stores other than folders. */
export interface StoreLocation {
  readonly archiveUrl: string;
  readonly exportUrl: string;
  readonly options: StoreOptions;
}

/** Uses its own folders unless a place is given. */
export async function startExportUnderTest(place?: StoreLocation): Promise<ExportUnderTest> {
  const stores: TestStores = await startStores({ services: ['export'] });
  const market = await archiveTrades(
    tradesOf(SYMBOL, DAY_1_MS, MINUTES),
    2,
    place === undefined ? undefined : openStore(place.archiveUrl, place.options),
  );
  const upstreams = await startUpstreams(market);
  const folder = await mkdtemp(join(tmpdir(), 'export-files-'));
  let aheadMs = 0;
  const overrides = { logger: silentLogger(), clock: () => Date.now() + aheadMs };
  const config = {
    ...upstreams.addresses,
    logLevel: 'silent' as const,
    opsPort: 0,
    databaseUrl: stores.postgresUrl('export'),
    redisUrl: stores.redisUrl,
    exportUrl: place?.exportUrl ?? folder,
    storeOptions: place?.options ?? {},
    shutdownWaitMs: 0,
  };
  const server: ExportServer = await startExport({ ...config, rpc: testRpcSettings('export'), grpcAddress: '127.0.0.1:0' }, overrides);
  const startWorker = (): Promise<RunningService> =>
    startExportWorker(
      { ...config, rpc: testRpcSettings('export-worker'), archiveUrl: place?.archiveUrl ?? market.folder, exportDays: 7 },
      overrides,
    );
  let worker: RunningService | undefined = await startWorker();
  const client = createClient({
    definition: exports.ExportServiceService,
    address: server.address,
    peer: testPeer('export'),
    deadlineMs: 20_000,
  });
  const outbox = createClient({
    definition: exports.OutboxServiceService,
    address: server.address,
    ...patientPeer('export'),
  });
  const pool = createPool({ url: stores.postgresUrl('export'), logger: silentLogger(), applicationName: 'test' });
  let orders = 0;

  const test: ExportUnderTest = {
    call: client.call,
    outbox: outbox.call,
    upstreams,
    market,
    pool,
    store: openStore(config.exportUrl, config.storeOptions),
    order(spec = {}, request = {}) {
      orders += 1;
      return client.call.createJob({
        caller: { tenantId: TENANT, keyId: 'key_one', accountId: '' },
        planId: 'public_pro',
        operationId: `op_${orders}`,
        requestId: 'req_one',
        spec: { ...EMPTY, ...spec },
        quoteId: '',
        ...request,
      });
    },
    async ended(jobId) {
      let job: exports.Job | undefined;
      const { READY, FAILED, CANCELLED } = exports.JobStatus;
      await waitUntil(`the end of ${jobId}`, async () => {
        ({ job } = await client.call.getJob({ tenantId: TENANT, jobId }));
        return job !== undefined && [READY, FAILED, CANCELLED].some((status) => status === job?.status);
      });
      return job as exports.Job;
    },
    async done(spec) {
      const { job } = await test.order(spec);
      return test.ended(job?.jobId ?? '');
    },
    async file(jobId, name, fromByte = 0, toByte = 0) {
      const pieces: Buffer[] = [];
      for await (const { data } of client.call.readFile({ tenantId: TENANT, jobId, name, fromByte, toByte })) pieces.push(data);
      return Buffer.concat(pieces);
    },
    async startWorker() {
      worker = await startWorker();
      return worker;
    },
    async stopWorker() {
      await worker?.close();
      worker = undefined;
    },
    async queueKeys() {
      const redis = new Redis(stores.redisUrl);
      const keys = await redis.keys('{export}:exports:exp_*');
      redis.disconnect();
      return keys;
    },
    async flushQueue() {
      const redis = new Redis(stores.redisUrl);
      await redis.flushdb();
      redis.disconnect();
    },
    advance(ms) {
      aheadMs += ms;
    },
    async close() {
      await worker?.close();
      await client.close();
      await outbox.close();
      await server.close();
      await pool.end();
      await upstreams.close();
      await market.close();
      await stores.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return test;
}
