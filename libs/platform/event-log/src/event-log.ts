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
import { EventLogError } from './event-log-error';
import { type MemoryUsage, openLogRedis, parseMemoryUsage } from './log-redis';

/** How long one XREAD waits at the server, milliseconds; a server that is silent for longer than its connection allows is left. */
const BLOCK_MS = 2_000;

interface FollowOptions {
  /** Most entries of one batch; default 1,000. */
  readonly count?: number;
}

/** One blocking XREAD; empty when nothing came in time. */
async function readBlocking(redis: RedisConnection, symbol: string, afterId: EntryId, count: number): Promise<LogEntry[]> {
  const reply: unknown = await redis.xreadBuffer('COUNT', count, 'BLOCK', BLOCK_MS, 'STREAMS', streamKey(symbol), formatEntryId(afterId));
  return readSingleStream(reply);
}

/**
 * Every entry after `afterId`, in order, in batches of what is waiting. It continues across restarts of the store, to the node that takes
 * the stream over, and into higher epochs until the signal aborts, which ends the iteration without an error. Has its own connection. The
 * next read is sent only when the previous batch was taken.
 */
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
        logger.warn({ symbol, err: error }, 'following the log is tried again');
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

/** How long a call waits for a connection that is not up, milliseconds. */
const READY_LIMIT_MS = 2_000;

interface ReadOptions {
  /** Most entries returned. */
  readonly count: number;
}

/**
 * One Redis stream per symbol (`md:{SYMBOL}`), entry id `<epoch>-<ordinal>`, payload bytes in field `e`. It does not interpret the
 * payload. Other calls reject when the store is away for more than 2 s or does not answer for 5 s; `append` and `follow` wait for its
 * return. In a Redis Cluster each symbol's stream is on the node that has its slot, and calls follow it.
 */
export interface EventLog {
  /**
   * Makes a fence the newest of a symbol's log: from then on writers with an older one, or with none, append and trim nothing, however
   * long ago they began. This log writes under it from now on.
   * @param fence a whole number over 0, higher than those of writers before
   * @returns the newest fence: a higher one where the log has seen it, and then nothing has changed
   * @throws {EventLogError} `full`
   */
  claim(symbol: string, fence: number): Promise<number>;
  /**
   * Appends a batch at once, in id order: all of it or nothing. Tries again by itself when the connection is lost, without writing
   * anything twice: entries already there are compared and left out. Where the store has lost its newest entries, as at a failover, those
   * of the last 60 s and 10,000 entries that this log appended are appended again first.
   * @throws {EventLogError} `conflict`, `lost`, `full`, `fenced` or `closed`; the signal's reason when it aborts.
   */
  append(symbol: string, entries: readonly LogEntry[], signal?: AbortSignal): Promise<void>;
  /**
   * Appends again, under their own ids, the entries after `afterId` that this log appended and the store has lost, where it still has
   * all of them (60 s, 10,000 entries): a consumer that stands at `afterId` gets those that others have read. Older ones stay lost.
   * @returns how many were appended
   * @throws {EventLogError} `fenced`, `full`
   */
  restore(symbol: string, afterId: EntryId): Promise<number>;
  lastId(symbol: string): Promise<EntryId | undefined>;
  firstId(symbol: string): Promise<EntryId | undefined>;
  /** Number of entries kept. */
  length(symbol: string): Promise<number>;
  /** Up to `count` entries after `afterId`, oldest first. */
  read(symbol: string, afterId: EntryId, options: ReadOptions): Promise<LogEntry[]>;
  /** The newest `count` entries, oldest first. */
  readLast(symbol: string, count: number): Promise<LogEntry[]>;
  /** The `count` entries before `beforeId`, oldest first: for reading backwards. */
  readBefore(symbol: string, beforeId: EntryId, count: number): Promise<LogEntry[]>;
  /** Batches of every entry after `afterId`, until the signal aborts; survives restarts of the store. */
  follow(symbol: string, afterId: EntryId, signal: AbortSignal, options?: FollowOptions): AsyncGenerator<LogEntry[], void, undefined>;
  /** Drops every entry before `minId`; returns how many. @throws {EventLogError} `fenced` */
  trim(symbol: string, minId: EntryId): Promise<number>;
  /** Publishes what a consumer has committed in its own database. A hint for trimming; moves forward only. */
  setPosition(symbol: string, consumer: string, id: EntryId): Promise<void>;
  /** Published positions by consumer name. */
  positions(symbol: string): Promise<Record<string, EntryId>>;
  /** Of the node that has the symbol's stream. */
  memoryUsage(symbol: string): Promise<MemoryUsage>;
  /** Round trip to the store, milliseconds; rejects where not every symbol's stream has a node. */
  ping(): Promise<number>;
  close(): Promise<void>;
}

interface EventLogDeps {
  readonly logger: Logger;
  /** Told how many entries were appended again because the store had lost them. */
  readonly onRepaired?: (symbol: string, entries: number) => void;
}

/** The event log in the Redis at this URL. Returns at once; calls wait for the connection. */
export function createEventLog(redisUrl: string, { logger, onRepaired = () => undefined }: EventLogDeps): EventLog {
  const redis = openLogRedis(redisUrl, logger);
  const closed = new AbortController();
  const fences = new Map<string, number>();
  const fenceOf = (symbol: string): number => fences.get(symbol) ?? 0;
  const appender = createAppender({ redis, logger, closed: closed.signal, fenceOf, onRepaired });
  const published = new Map<string, EntryId>();
  let connecting: Promise<void> | undefined;

  /** Waits a moment for the connection, so that a call right after a start, or a restart of the store, is not refused. */
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
