import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore, type ObjectStore } from '@market-state/archive';
import { createEventLog, type LogEntry } from '@market-state/event-log';
import { CHANNELS, decodeEvent, encodeEvent, type MarketEvent } from '@market-state/market-data';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { createMetrics } from '@market-state/telemetry';
import { startStores, type TestStores, waitUntil } from '@market-state/testing';
import Redis from 'ioredis';
import type { Pool } from 'pg';
import { type ArchiveMetrics, createArchiveMetrics } from '../src/archive/archive-metrics';
import { archivePass, type BlockedHours } from '../src/archive/archive-pass';
import type { RetentionDays } from '../src/archive/archive-settings';
import { retentionPass } from '../src/archive/retention-pass';
import { recordSymbols } from '../src/recorder/record-symbol';
import { createPartitions } from '../src/store/partitions';
import { readPosition, RECORDER } from '../src/store/recorded';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Postgres with rows written like the recorder's, and an archive folder. */
export interface ArchiveBench {
  readonly stores: TestStores;
  readonly pool: Pool;
  /** Table owner, for changes that no service may make. */
  readonly owner: Pool;
  readonly folder: string;
  readonly store: ObjectStore;
  readonly metrics: ArchiveMetrics;
  /** In Prometheus text format. */
  metricsText(): Promise<string>;
  record(entries: readonly LogEntry[]): Promise<void>;
  /** One archive pass; returns the number of archived hours. `served`: the played symbols. */
  archive(store?: ObjectStore, blocked?: BlockedHours, signal?: AbortSignal, served?: readonly string[]): Promise<number>;
  /** One retention pass with the same days for every channel. `served`: symbols whose clocks count. */
  retain(hotDays: number, archiveDays: number, store?: ObjectStore, served?: readonly string[]): Promise<void>;
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function startArchiveBench(symbols: readonly string[]): Promise<ArchiveBench> {
  const stores = await startStores({ services: ['data_plane'] });
  const logger = silentLogger();
  const pool = createPool({ url: stores.postgresUrl('data_plane'), logger, applicationName: 'test', max: 12 });
  const owner = createPool({ url: stores.ownerUrl('data_plane'), logger, applicationName: 'owner' });
  const folder = await mkdtemp(join(tmpdir(), 'archive-bench-'));
  const folderStore = createFolderStore(folder);
  const registry = createMetrics('test');
  const metrics = createArchiveMetrics(registry, Date.now);
  const partitions = createPartitions(pool);
  const redis = new Redis(stores.redisUrl);
  let log = createEventLog(stores.redisUrl, { logger });
  const { signal } = new AbortController();
  return {
    stores,
    pool,
    owner,
    folder,
    store: folderStore,
    metrics,
    metricsText: () => registry.registry.metrics(),
    async record(entries) {
      const last = entries.at(-1);
      if (last === undefined) return;
      const { symbol } = decodeEvent(last.payload);
      await log.append(symbol, entries);
      const stop = new AbortController();
      const deps = {
        pool,
        log,
        logger,
        partitions,
        metrics: { observe: () => undefined },
        onState: () => undefined,
      };
      const recording = recordSymbols(deps, [symbol], stop.signal);
      await waitUntil('recorded', async () => (await readPosition(pool, RECORDER, symbol)).ordinal >= last.ordinal);
      stop.abort();
      await recording;
    },
    async archive(store = folderStore, blocked = new Map(), until = signal, served = symbols) {
      const lock = await pool.connect();
      try {
        return await archivePass({ pool, store, nowMs: Date.now, logger, metrics, symbols: served }, lock, blocked, until);
      } finally {
        lock.release();
      }
    },
    async retain(hotDays, archiveDays, store = folderStore, served = symbols) {
      const days = Object.fromEntries(CHANNELS.map((channel) => [channel, { hotDays, archiveDays }])) as unknown as RetentionDays;
      await retentionPass({ pool, store, logger, metrics, days, symbols: served, onDropped: () => partitions.forget() }, signal);
    },
    async reset() {
      await owner.query(
        'TRUNCATE log_entry, gap, consumer_position, feed_connection, row_state, channel_hour, candle_minute, archive_file, retention',
      );
      await rm(folder, { recursive: true, force: true });
      await log.close();
      await redis.flushdb();
      log = createEventLog(stores.redisUrl, { logger });
      partitions.forget();
    },
    async close() {
      await log.close();
      redis.disconnect();
      await Promise.all([pool.end(), owner.end()]);
      await stores.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Body = {
  [K in MarketEvent['kind']]: Omit<
    Extract<MarketEvent, { kind: K }>,
    'venue' | 'symbol' | 'pass' | 'exchangeTsIsReceiveTime' | 'ordinal' | 'epoch' | 'receivedTsMs'
  > & { readonly exchangeTsIsReceiveTime?: true };
}[MarketEvent['kind']];

/** Deterministic market on every channel: ticks every `tickMs`, late rows, duplicates, gaps. */
export interface RandomMarket {
  /** Entries since the last call, up to a feed clock. */
  upTo(feedClockMs: number): LogEntry[];
  /** Skips entries before a feed clock. */
  skipTo(feedClockMs: number): void;
}

interface RandomMarketOptions {
  readonly symbol: string;
  readonly startMs: number;
  readonly tickMs: number;
  /** In [0, 1), like `Math.random`. */
  readonly random: () => number;
  /** Maximum delay of a late row. */
  readonly lateMsMax: number;
}

/** Deterministic numbers in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

export function createRandomMarket({ symbol, startMs, tickMs, random, lateMsMax }: RandomMarketOptions): RandomMarket {
  let ordinal = 0;
  let epoch = 1;
  let clockMs = startMs;
  let id = 1_000;
  let receivedTsMs = startMs;
  const below = (limit: number): number => Math.floor(random() * limit);
  const decimal = (): string => `${1 + below(90_000)}.${1 + below(9)}${1 + below(9)}`.replace(/0+$/, '1');
  const level = () => ({ price: decimal(), size: decimal(), venueSize: String(1 + below(500)) });

  function entry(body: Body): LogEntry {
    ordinal += 1;
    const event = {
      venue: 'binance-coinm',
      symbol,
      pass: 1,
      exchangeTsIsReceiveTime: false,
      ordinal,
      epoch,
      receivedTsMs,
      ...body,
    } as MarketEvent;
    return { ordinal, epoch, payload: encodeEvent(event) };
  }

  function bodies(exchangeTsMs: number): Body[] {
    const kind = below(100);
    id += 1;
    const venueId = String(kind === 50 ? id - 1 : id);
    const base = { venueId, exchangeTsMs };
    if (kind < 45)
      return [
        { kind: 'trade', ...base, price: decimal(), size: decimal(), venueSize: '3', aggressorSide: below(2) === 0 ? 'buy' : 'sell' },
      ];
    if (kind < 50) {
      const trade: Body = { kind: 'trade', ...base, price: decimal(), size: decimal(), aggressorSide: 'buy' };
      return [trade, trade];
    }
    if (kind < 85)
      return [{ kind: 'book', ...base, bids: Array.from({ length: below(4) }, level), asks: Array.from({ length: below(4) }, level) }];
    if (kind < 92)
      return [
        {
          kind: 'context',
          ...base,
          venueId: '',
          exchangeTsIsReceiveTime: true,
          markPrice: decimal(),
          ...(below(2) === 0 ? { fundingRate: '-0.0000125' } : {}),
        },
      ];
    if (kind < 97)
      return [{ kind: 'liquidation', ...base, positionSide: 'long', price: decimal(), size: decimal(), provenance: 'venue_reported' }];
    const gap = { gapId: `gap_${String(id).padStart(26, '0')}`, channel: 'book' as const, startMs: exchangeTsMs };
    const statusBase = { kind: 'feed_status' as const, venueId: '', exchangeTsMs };
    return [
      { ...statusBase, status: { type: 'gap', ...gap, endMs: 0, reason: 'sequence_gap' } },
      { ...statusBase, status: { type: 'resynced', ...gap, endMs: exchangeTsMs + 5 } },
    ];
  }

  return {
    skipTo(feedClockMs) {
      clockMs = feedClockMs;
    },
    upTo(feedClockMs) {
      const entries: LogEntry[] = [];
      if (ordinal === 0) {
        const status = {
          type: 'connected',
          channels: ['book', 'trade', 'context', 'liquidation'],
          bookStalenessMs: 5_000,
          tradeStalenessMs: 60_000,
          contextStalenessMs: 120_000,
          closingLagMs: 1_000,
          sourceKind: 'recorded',
        } as const;
        entries.push(entry({ kind: 'feed_status', venueId: '', exchangeTsMs: startMs, status }));
      }
      for (; clockMs <= feedClockMs; clockMs += tickMs) {
        receivedTsMs = clockMs;
        entries.push(entry({ kind: 'tick', venueId: '', exchangeTsMs: clockMs, feedClockMs: clockMs }));
        if (below(200) === 0) {
          epoch += 1;
          ordinal += 1 + below(20);
        }
        for (let count = below(4); count > 0; count -= 1) {
          receivedTsMs = clockMs + below(tickMs);
          const lateMs = below(20) === 0 ? below(lateMsMax) : below(1_500);
          entries.push(...bodies(receivedTsMs - lateMs).map(entry));
        }
        receivedTsMs = clockMs;
      }
      return entries;
    },
  };
}
