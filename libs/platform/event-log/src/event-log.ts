import type { Logger } from '@market-state/logging';
import { createAppender } from './append';
import { openConnection, whenReady } from './connection';
import { type LogEntry, positionsKey, streamKey } from './entries';
import { compareEntryIds, type EntryId, formatEntryId, parseEntryId } from './entry-id';
import { EventLogError } from './event-log-error';
import { follow, type FollowOptions, readBlocking } from './follow';
import { type MemoryUsage, parseMemoryUsage } from './memory-usage';
import { firstId, lastId, readAfter, readBefore } from './reading';

/** How long a call waits for a connection that is not up, milliseconds. */
const READY_LIMIT_MS = 2_000;

export interface ReadOptions {
  /** Most entries returned. */
  readonly count: number;
  /** How long to wait for the first entry, milliseconds, on a connection of its own. Default: do not wait. */
  readonly blockMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * One Redis stream per symbol (`md:{SYMBOL}`), entry id `<epoch>-<ordinal>`, payload bytes in field `e`. It does not interpret the
 * payload. Other calls reject when the store is away for more than 2 s; `append` and `follow` wait for its return.
 */
export interface EventLog {
  /**
   * Appends a batch in one transaction, in id order. Tries again by itself when the connection is lost, without writing
   * anything twice: entries already there are compared and left out.
   * @throws {EventLogError} `conflict`, `lost`, `full` or `closed`; the signal's reason when it aborts.
   */
  append(symbol: string, entries: readonly LogEntry[], signal?: AbortSignal): Promise<void>;
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
  /** Drops every entry before `minId`; returns how many. */
  trim(symbol: string, minId: EntryId): Promise<number>;
  /** Publishes what a consumer has committed in its own database. A hint for trimming; moves forward only. */
  setPosition(symbol: string, consumer: string, id: EntryId): Promise<void>;
  /** Published positions by consumer name. */
  positions(symbol: string): Promise<Record<string, EntryId>>;
  memoryUsage(): Promise<MemoryUsage>;
  /** Round trip to the store, milliseconds. */
  ping(): Promise<number>;
  close(): Promise<void>;
}

/** The event log in the Redis at this URL. Returns at once; calls wait for the connection. */
export function createEventLog(redisUrl: string, deps: { readonly logger: Logger }): EventLog {
  const { logger } = deps;
  const redis = openConnection(redisUrl, 'log', logger);
  const closed = new AbortController();
  const appender = createAppender(redis, logger, closed.signal);
  const published = new Map<string, EntryId>();
  let connecting: Promise<void> | undefined;

  /** Waits a moment for the connection, so that a call right after a start, or a restart of the store, is not refused. */
  async function connected(): Promise<void> {
    if (redis.status === 'ready') return;
    connecting ??= whenReady(redis, AbortSignal.any([AbortSignal.timeout(READY_LIMIT_MS), closed.signal])).finally(() => {
      connecting = undefined;
    });
    await connecting;
  }

  return {
    append: (symbol, entries, signal) => appender.append(symbol, entries, signal),
    lastId: (symbol) => connected().then(() => lastId(redis, symbol)),
    firstId: (symbol) => connected().then(() => firstId(redis, symbol)),
    length: (symbol) => connected().then(() => redis.xlen(streamKey(symbol))),
    readLast: (symbol, count) => connected().then(() => readBefore(redis, symbol, undefined, count)),
    readBefore: (symbol, beforeId, count) => connected().then(() => readBefore(redis, symbol, beforeId, count)),
    follow: (symbol, afterId, signal, options) => follow(redisUrl, symbol, afterId, signal, logger, options),
    trim: (symbol, minId) => connected().then(() => redis.xtrim(streamKey(symbol), 'MINID', formatEntryId(minId))),
    async read(symbol, afterId, { count, blockMs, signal }) {
      if (blockMs === undefined) return connected().then(() => readAfter(redis, symbol, afterId, count));
      const own = openConnection(redisUrl, 'read', logger);
      const ending = signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]);
      const stop = (): void => own.disconnect();
      ending.addEventListener('abort', stop, { once: true });
      try {
        await whenReady(own, ending);
        return await readBlocking(own, symbol, afterId, count, Math.max(1, blockMs));
      } finally {
        ending.removeEventListener('abort', stop);
        own.disconnect();
      }
    },
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
    async memoryUsage() {
      await connected();
      return parseMemoryUsage(await redis.info('memory'));
    },
    async ping() {
      await connected();
      const startedMs = performance.now();
      await redis.ping();
      return performance.now() - startedMs;
    },
    close() {
      closed.abort(new EventLogError('closed', 'the event log was closed'));
      redis.disconnect();
      return Promise.resolve();
    },
  };
}
