import { parseRedisUrl } from '@market-state/config';
import { runTogether, timeLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { pingRedis, whenReady } from '@market-state/redis';
import { createAppender, refusalOf } from './append';
import {
  compareEntryIds,
  type EntryId,
  fenceKey,
  firstId,
  formatEntryId,
  lastId,
  type LogEntry,
  parseEntryId,
  positionsKey,
  readAfter,
  readBefore,
  streamKey,
  EventLogError,
  type MemoryUsage,
  openLogRedis,
  parseMemoryUsage,
} from './log-redis';
import { createFollowing, type Follow } from './follow';

const READY_LIMIT_MS = 2_000;

interface ReadOptions {
  readonly count: number;
}

/**
 * One Redis stream per symbol with opaque payloads. `append` and `follow` wait for an unavailable store; other calls
 * reject after 2 s without a connection or 5 s without a response.
 */
export interface EventLog {
  /**
   * Makes `fence` (a positive integer) the newest: writers with an older one can no longer append or trim.
   * @returns the newest fence; if higher than `fence`, nothing changed
   * @throws {EventLogError} `full`
   */
  claim(symbol: string, fence: number): Promise<number>;
  /**
   * All or nothing, in id order; idempotent. First restores entries lost in a failover, up to the last 60 s or 10,000
   * entries.
   * @throws {EventLogError} `conflict`, `lost`, `full`, `fenced` or `closed`; or the signal's reason
   */
  append(symbol: string, entries: readonly LogEntry[], signal?: AbortSignal): Promise<void>;
  /**
   * Appends lost entries after `afterId` again, if all are within the last 60 s and 10,000 entries.
   * @returns their number
   * @throws {EventLogError} `fenced`, `full`
   */
  restore(symbol: string, afterId: EntryId): Promise<number>;
  lastId(symbol: string): Promise<EntryId | undefined>;
  firstId(symbol: string): Promise<EntryId | undefined>;
  length(symbol: string): Promise<number>;
  read(symbol: string, afterId: EntryId, options: ReadOptions): Promise<LogEntry[]>;
  readLast(symbol: string, count: number): Promise<LogEntry[]>;
  /** Oldest first. */
  readBefore(symbol: string, beforeId: EntryId, count: number): Promise<LogEntry[]>;
  /**
   * Continues across store restarts, failovers and epochs until the signal aborts. Reads ahead of the consumer, by at
   * most a batch and 10,000 entries of all symbols. Followers share a connection and its reads.
   */
  readonly follow: Follow;
  /** Returns the number of dropped entries. @throws {EventLogError} `fenced` */
  trim(symbol: string, minId: EntryId): Promise<number>;
  /** Hint for trimming. Only moves forward. */
  setPosition(symbol: string, consumer: string, id: EntryId): Promise<void>;
  positions(symbol: string): Promise<Record<string, EntryId>>;
  memoryUsage(symbol: string): Promise<MemoryUsage>;
  /** Round trip in milliseconds; rejects unless every symbol's stream has a node. */
  ping(): Promise<number>;
  close(): Promise<void>;
}

interface EventLogDeps {
  readonly logger: Logger;
  readonly onRepaired?: (symbol: string, entries: number) => void;
  /** Minimum interval of the reads of `follow`, which gathers entries in between; default 5 ms. */
  readonly readEveryMs?: number;
}

const READ_EVERY_MS = 5;

export function createEventLog(
  redisUrl: string,
  { logger, onRepaired = () => undefined, readEveryMs = READ_EVERY_MS }: EventLogDeps,
): EventLog {
  const redis = openLogRedis(redisUrl, logger);
  const isCluster = parseRedisUrl(redisUrl).kind === 'cluster';
  const closed = new AbortController();
  const fences = new Map<string, number>();
  const fenceOf = (symbol: string): number => fences.get(symbol) ?? 0;
  const appender = createAppender({ redis, logger, closed: closed.signal, fenceOf, onRepaired });
  const published = new Map<string, EntryId>();
  let connecting: Promise<void> | undefined;

  async function connected(): Promise<void> {
    if (redis.status === 'ready') return;
    connecting ??= whenReady(redis, AbortSignal.any([timeLimit(READY_LIMIT_MS), closed.signal])).finally(() => {
      connecting = undefined;
    });
    await connecting;
  }

  async function memoryOfNode(symbol: string): Promise<MemoryUsage> {
    await connected();
    return parseMemoryUsage(await redis.memoryOfNode(streamKey(symbol)));
  }

  /** All symbols are on the same one. */
  const memoryOfServer = runTogether(async (symbols: readonly string[]) => {
    const usage = await memoryOfNode(symbols[0] ?? '');
    return symbols.map(() => usage);
  });

  return {
    async claim(symbol, fence) {
      await connected();
      const newest = await redis.claim(streamKey(symbol), fenceKey(symbol), fence).catch((error: unknown) => {
        throw refusalOf(symbol, error) ?? error;
      });
      if (newest !== fence) return newest;
      fences.set(symbol, fence);
      appender.forget(symbol);
      return newest;
    },
    append: (symbol, entries, signal) => appender.append(symbol, entries, signal),
    async restore(symbol, afterId) {
      await connected();
      return appender.restore(symbol, afterId).catch((error: unknown) => {
        throw refusalOf(symbol, error) ?? error;
      });
    },
    lastId: (symbol) => connected().then(() => lastId(redis, symbol)),
    firstId: (symbol) => connected().then(() => firstId(redis, symbol)),
    length: (symbol) => connected().then(() => redis.xlen(streamKey(symbol))),
    readLast: (symbol, count) => connected().then(() => readBefore(redis, symbol, undefined, count)),
    readBefore: (symbol, beforeId, count) => connected().then(() => readBefore(redis, symbol, beforeId, count)),
    follow: createFollowing({ redisUrl, logger, isCluster, readEveryMs }),
    async trim(symbol, minId) {
      await connected();
      return redis.trimTo(streamKey(symbol), fenceKey(symbol), fenceOf(symbol), formatEntryId(minId)).catch((error: unknown) => {
        throw refusalOf(symbol, error) ?? error;
      });
    },
    read: (symbol, afterId, { count }) => connected().then(() => readAfter(redis, symbol, afterId, count)),
    async setPosition(symbol, consumer, id) {
      const key = `${symbol} ${consumer}`;
      const before = published.get(key);
      if (before !== undefined && compareEntryIds(id, before) < 0) return;
      await connected();
      await redis.hset(positionsKey(symbol), consumer, formatEntryId(id));
      published.set(key, id);
    },
    async positions(symbol) {
      await connected();
      const stored = await redis.hgetall(positionsKey(symbol));
      return Object.fromEntries(Object.entries(stored).map(([consumer, id]) => [consumer, parseEntryId(id)]));
    },
    memoryUsage: (symbol) => (isCluster ? memoryOfNode(symbol) : memoryOfServer(symbol)),
    ping: () => connected().then(() => pingRedis(redis)),
    close() {
      closed.abort(new EventLogError('closed', 'the event log was closed'));
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
