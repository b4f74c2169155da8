import { backoffMs, delay, timeLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { leaveIfSilent, openRedis, pingRedis, type RedisConnection, whenReady } from '@market-state/redis';
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
  readSingleStream,
  streamKey,
} from './entries';
import { EventLogError, type MemoryUsage, openLogRedis, parseMemoryUsage } from './log-redis';

/** Must stay below the connection's response timeout. */
const BLOCK_MS = 2_000;

interface FollowOptions {
  readonly count?: number;
}

async function readBlocking(redis: RedisConnection, symbol: string, afterId: EntryId, count: number): Promise<LogEntry[]> {
  const reply: unknown = await redis.xreadBuffer('COUNT', count, 'BLOCK', BLOCK_MS, 'STREAMS', streamKey(symbol), formatEntryId(afterId));
  return readSingleStream(reply);
}

/** Own connection, since XREAD blocks it. */
async function* follow(
  redisUrl: string,
  symbol: string,
  afterId: EntryId,
  signal: AbortSignal,
  logger: Logger,
  options: FollowOptions = {},
): AsyncGenerator<LogEntry[], void, undefined> {
  const redis = openRedis(redisUrl, { role: 'follow', logger, manner: 'blocking' });
  const stop = (): void => redis.disconnect();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const count = options.count ?? 1_000;
    let position = afterId;
    for (let failures = 0; !signal.aborted; ) {
      let batch: LogEntry[] = [];
      try {
        await whenReady(redis, signal);
        batch = await readBlocking(redis, symbol, position, count);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ symbol, err: error }, 'following the log failed; retrying');
        leaveIfSilent(redis, error);
        await delay(backoffMs(failures, { minMs: 20, maxMs: 1_000 }), signal).catch(() => undefined);
        failures += 1;
        continue;
      }
      const last = batch.at(-1);
      if (last === undefined) continue;
      position = { epoch: last.epoch, ordinal: last.ordinal };
      yield batch;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    redis.disconnect();
  }
}

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
   * Continues across store restarts, failovers and epochs until the signal aborts. Reads on once the previous batch was
   * consumed.
   */
  follow(symbol: string, afterId: EntryId, signal: AbortSignal, options?: FollowOptions): AsyncGenerator<LogEntry[], void, undefined>;
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
}

export function createEventLog(redisUrl: string, { logger, onRepaired = () => undefined }: EventLogDeps): EventLog {
  const redis = openLogRedis(redisUrl, logger);
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
    follow: (symbol, afterId, signal, options) => follow(redisUrl, symbol, afterId, signal, logger, options),
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
    async memoryUsage(symbol) {
      await connected();
      return parseMemoryUsage(await redis.memoryOfNode(streamKey(symbol)));
    },
    ping: () => connected().then(() => pingRedis(redis)),
    close() {
      closed.abort(new EventLogError('closed', 'the event log was closed'));
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
