import { labeling } from '@market-state/contracts';
import { createEventLog, type EventLog } from '@market-state/event-log';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { createState, loadPolicy, type PacketResult, reduce, serializeState, sha256Hex } from '@market-state/labeler';
import { createLogger, type Logger, silentLogger } from '@market-state/logging';
import { encodeEvent, type MarketEvent } from '@market-state/market-data';
import { createPool } from '@market-state/postgres';
import { patientPeer, startStores, testRpcSettings, type TestStores, waitUntil } from '@market-state/testing';
import { Client, type Pool } from 'pg';
import type { CheckpointHeader } from '../src/labeling/label-store';
import { type LabelingConfig, type LabelingOverrides, type LabelingServer, startLabeling } from '../src';

export const BTC = 'BTCUSD-PERP';
export const ETH = 'ETHUSD-PERP';

/** Stores, an event log writer, and labeling services. */
export interface LabelingBench {
  readonly stores: TestStores;
  readonly log: EventLog;
  readonly pool: Pool;
  readonly config: LabelingConfig;
  readonly logger: Logger;
  readonly lines: string[];
  append(events: readonly MarketEvent[]): Promise<void>;
  start(overrides?: LabelingOverrides, symbols?: readonly string[], settings?: Partial<LabelingConfig>): Promise<RunningLabeling>;
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs SQL as the owner of the tables. */
  ownerSql(text: string): Promise<void>;
  /** Packet digests of a symbol by sequence. */
  storedDigests(symbol: string): Promise<string[]>;
  waitForPackets(symbol: string, total: number): Promise<void>;
  storedCheckpoints(symbol: string): Promise<CheckpointHeader[]>;
  stop(): Promise<void>;
}

export interface RunningLabeling {
  readonly server: LabelingServer;
  readonly client: GrpcClient<labeling.LabelingServiceService>;
  /** Value of a `/metrics` series; undefined if it is missing. */
  metric(series: string): Promise<number | undefined>;
  close(): Promise<void>;
}

export async function startBench(): Promise<LabelingBench> {
  const stores = await startStores({ services: ['labeling'] });
  const databaseUrl = stores.postgresUrl('labeling');
  const log = createEventLog(stores.redisUrl, { logger: silentLogger() });
  await waitUntil('the event log', () => log.ping());
  const ownerDb = new Client({ connectionString: stores.ownerUrl('labeling') });
  await ownerDb.connect();
  const lines: string[] = [];
  const logger = createLogger('labeling', { destination: { write: (line) => void lines.push(line) } });
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'test' });
  const config: LabelingConfig = {
    logLevel: 'info',
    grpcAddress: '127.0.0.1:0',
    opsPort: 0,
    databaseUrl,
    rpc: testRpcSettings('labeling'),
    redisUrl: stores.redisUrl,
    signingKeyFile: undefined,
    servedSymbols: [BTC, ETH],
    symbols: [BTC, ETH],
    archiveUrl: undefined,
    storeOptions: {},
    dataPlaneAddresses: undefined,
    keptDays: { hotDays: 3, archiveDays: 30 },
    sharesLive: false,
    shutdownWaitMs: 0,
  };

  async function storedDigests(symbol: string): Promise<string[]> {
    const { rows } = await pool.query<{ packet_digest: string }>('SELECT packet_digest FROM packet WHERE symbol = $1 ORDER BY sequence', [
      symbol,
    ]);
    return rows.map((row) => row.packet_digest);
  }

  return {
    stores,
    log,
    pool,
    config,
    logger,
    lines,
    async append(events) {
      for (let from = 0; from < events.length; from += 500) {
        const part = events.slice(from, from + 500);
        const symbol = part[0]?.symbol ?? '';
        await log.append(
          symbol,
          part.map((event) => ({ epoch: event.epoch, ordinal: event.ordinal, payload: encodeEvent(event) })),
        );
      }
    },
    start: (overrides, symbols = config.symbols, settings = {}) =>
      startOne({ ...config, servedSymbols: symbols, symbols, ...settings }, { logger, ...overrides }),
    async sql<Row extends object>(text: string, values: unknown[] = []) {
      const { rows } = await pool.query<Row>(text, values);
      return rows;
    },
    async ownerSql(text) {
      await ownerDb.query(text);
    },
    storedDigests,
    async waitForPackets(symbol, total) {
      await waitUntil(`${total} packets of ${symbol}`, async () => (await storedDigests(symbol)).length >= total);
    },
    async storedCheckpoints(symbol) {
      const { rows } = await pool.query<CheckpointHeader>(
        `SELECT symbol, window_end_ms::float8 AS "windowEndMs", epoch, ordinal::float8 AS ordinal, lineage_digest AS "lineageDigest",
           policy_digest AS "policyDigest", state_digest AS "stateDigest" FROM checkpoint WHERE symbol = $1 ORDER BY window_end_ms`,
        [symbol],
      );
      return rows;
    },
    async stop() {
      await Promise.all([pool.end(), ownerDb.end()]);
      await log.close();
      await stores.stop();
    },
  };
}

async function startOne(config: LabelingConfig, overrides: LabelingOverrides): Promise<RunningLabeling> {
  const server = await startLabeling(config, overrides);
  const client = createClient({ definition: labeling.LabelingServiceService, ...patientPeer('labeling'), address: server.address });
  return {
    server,
    client,
    async metric(series) {
      const text = await (await fetch(`http://127.0.0.1:${server.opsPort}/metrics`)).text();
      const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    },
    async close() {
      await client.close();
      await server.close();
    },
  };
}

/** Packets of a whole log, from the labeler library. */
export function labelPurely(events: readonly MarketEvent[]): PacketResult[] {
  const state = createState(events[0]?.symbol ?? '', loadPolicy());
  return events.flatMap((event) => reduce(state, event));
}

/** Checkpoints expected of a whole log: the state right after each entry that closes a quarter of an hour. */
export function checkpointsPurely(events: readonly MarketEvent[]): CheckpointHeader[] {
  const state = createState(events[0]?.symbol ?? '', loadPolicy());
  return events.flatMap((event) => {
    const newest = reduce(state, event).at(-1);
    if (newest === undefined || newest.windowEndMs % 900_000 !== 0) return [];
    const { symbol, windowEndMs, lineageDigest, policyDigest } = newest;
    return [
      {
        symbol,
        windowEndMs,
        epoch: event.epoch,
        ordinal: event.ordinal,
        lineageDigest,
        policyDigest,
        stateDigest: sha256Hex(serializeState(state)),
      },
    ];
  });
}
