import { createEventLog, type EventLog, formatEntryId, LOG_START } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { decodeEvent, type MarketEvent } from '@market-state/market-data';
import { startStores, testRpcVariables, type TestStores, waitUntil } from '@market-state/testing';
import { readFeedConfig } from '../src/config';
import { type FeedOverrides, type RunningFeed, startFeed } from '../src/feed/start-feed';
import type { ShortRecording } from './short-recording';

/** 2026-03-02 10:00 UTC. */
export const startMs = Date.UTC(2026, 2, 2, 10);

/** Stores, a log to read, and feeds closed at the end. */
export interface FeedHarness {
  readonly stores: TestStores;
  readonly log: EventLog;
  /** Defaults, extended by `env`: short recordings, no consumers, unpaced, no trimming. */
  start(recordings: readonly ShortRecording[], env?: Readonly<Record<string, string>>, overrides?: FeedOverrides): Promise<RunningFeed>;
  /** Whole log as `<id> <hex>`. */
  entries(symbol: string): Promise<string[]>;
  events(symbol: string): Promise<MarketEvent[]>;
  stop(): Promise<void>;
}

/** @param redisUrl default: the test run's shared Redis */
export async function startFeedHarness(redisUrl?: string): Promise<FeedHarness> {
  const stores = await startStores({ services: ['data_plane'] });
  const logger = silentLogger();
  const log = createEventLog(redisUrl ?? stores.redisUrl, { logger });
  await waitUntil('redis', async () => (await log.ping()) >= 0);
  const running: RunningFeed[] = [];
  const all = (symbol: string) => log.read(symbol, LOG_START, { count: 1_000_000 });
  return {
    stores,
    log,
    async start(recordings, env = {}, overrides = {}) {
      const config = readFeedConfig({
        ...testRpcVariables('data-plane-feed'),
        DATABASE_URL: stores.postgresUrl('data_plane'),
        REDIS_URL: redisUrl ?? stores.redisUrl,
        FEED: 'recording',
        SYMBOLS: recordings.map(({ symbol }) => symbol).join(','),
        FEED_FILE: recordings.map(({ symbol, files }) => `${symbol}=${files.join(',')}`).join(';'),
        FEED_SPEED: 'max',
        FEED_START: String(startMs),
        FEED_CONSUMERS: 'none',
        SHUTDOWN_WAIT_MS: '0',
        ...env,
      });
      const feed = await startFeed(config, { logger, retentionMs: 86_400_000, ...overrides });
      running.push(feed);
      return feed;
    },
    async entries(symbol) {
      return (await all(symbol)).map((entry) => `${formatEntryId(entry)} ${Buffer.from(entry.payload).toString('hex')}`);
    },
    async events(symbol) {
      return (await all(symbol)).map(({ payload }) => decodeEvent(payload));
    },
    async stop() {
      await Promise.all(running.map((feed) => feed.close()));
      await log.close();
      await stores.stop();
    },
  };
}

export async function untilPass(feed: RunningFeed, symbol: string, pass: number): Promise<void> {
  await waitUntil(`pass ${pass} of ${symbol}`, () => (feed.snapshot(symbol)?.pass ?? 0) >= pass);
}
