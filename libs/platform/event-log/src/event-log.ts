import { parseRedisUrl } from '@market-state/config';
import { runTogether, timeLimit, backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { pingRedis, whenReady, leaveIfSilent, openRedis, type RedisConnection } from '@market-state/redis';
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
  readStreams,
} from './log-redis';

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

interface FollowOptions {
  /** Largest batch; default 1,000. */
  readonly count?: number;
}

type Follow = (symbol: string, afterId: EntryId, signal: AbortSignal, options?: FollowOptions) => AsyncGenerator<LogEntry[], void>;

const FOLLOW_COUNT = 1_000;

/** A follower that starts or has caught up waits for the next read, so this is short. */
const BLOCK_MS = 200;

/** Wait for entries of some symbols while others have unconsumed ones. */
const BLOCK_WITH_OTHERS_MS = 20;

/** Bounds the entries that all followers have read ahead. */
const AHEAD_ENTRIES_MAX = 10_000;

/** Reading entries one by one would cost a round trip each. */
const AHEAD_ENTRIES_MIN = 16;

interface Follower {
  readonly symbol: string;
  readonly count: number;
  position: EntryId;
  entries: LogEntry[];
  wake: () => void;
}

interface Reader {
  readonly followers: Set<Follower>;
  /** Starts reading with the first follower. */
  join(follower: Follower): void;
  leave(follower: Follower): void;
  /** Takes the oldest entries read ahead. */
  take(follower: Follower): LogEntry[];
}

interface FollowingDeps {
  readonly redisUrl: string;
  readonly logger: Logger;
  /** A cluster's nodes hold different symbols. */
  readonly isCluster: boolean;
  /** Minimum interval of reads that return no more than they could; entries accumulate in between. */
  readonly readEveryMs: number;
}

/** All followers share a connection and its reads, or in a cluster have one each. */
function createFollowing(deps: FollowingDeps): Follow {
  const readers = new Set<Reader>();

  function readerFor(symbol: string): Reader {
    const shared = [...readers].find(({ followers }) => ![...followers].some((follower) => follower.symbol === symbol));
    if (shared !== undefined && !deps.isCluster) return shared;
    const reader = createReader(deps, () => readers.delete(reader));
    readers.add(reader);
    return reader;
  }

  return async function* follow(symbol, afterId, signal, { count = FOLLOW_COUNT } = {}) {
    const follower: Follower = { symbol, count, position: afterId, entries: [], wake: () => undefined };
    const reader = readerFor(symbol);
    const onAbort = (): void => follower.wake();
    signal.addEventListener('abort', onAbort, { once: true });
    reader.join(follower);
    try {
      while (!signal.aborted) {
        if (follower.entries.length > 0) yield reader.take(follower);
        else await new Promise<void>((resolve) => (follower.wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      reader.leave(follower);
    }
  };
}

function createReader({ redisUrl, logger, readEveryMs }: FollowingDeps, onEnd: () => void): Reader {
  const followers = new Set<Follower>();
  const ended = new AbortController();
  const redis = openRedis(redisUrl, { role: 'follow', logger, manner: 'blocking' });
  let goOn = (): void => undefined;

  const aheadMax = ({ count }: Follower): number =>
    Math.min(count, Math.max(AHEAD_ENTRIES_MIN, Math.floor(AHEAD_ENTRIES_MAX / followers.size)));

  async function readOnce(): Promise<void> {
    const asking = [...followers].filter((follower) => follower.entries.length < aheadMax(follower));
    if (asking.length === 0) return new Promise((resolve) => (goOn = resolve));
    const count = Math.min(...asking.map(aheadMax));
    const isFull = await readStep(asking, count);
    if (!isFull) await delay(readEveryMs, ended.signal);
  }

  async function readStep(asking: readonly Follower[], count: number): Promise<boolean> {
    const blockMs = asking.length < followers.size ? BLOCK_WITH_OTHERS_MS : BLOCK_MS;
    const found = await readBlocking(redis, asking, count, blockMs);
    let isFull = false;
    for (const follower of asking) {
      const entries = found.get(streamKey(follower.symbol));
      const last = entries?.at(-1);
      if (entries === undefined || last === undefined) continue;
      follower.position = { epoch: last.epoch, ordinal: last.ordinal };
      follower.entries.push(...entries);
      follower.wake();
      isFull ||= entries.length === count;
    }
    return isFull;
  }

  async function read(): Promise<void> {
    for (let failures = 0; !ended.signal.aborted; ) {
      try {
        await whenReady(redis, ended.signal);
        await readOnce();
        failures = 0;
      } catch (error) {
        if (ended.signal.aborted) return;
        logger.warn({ symbols: [...followers].map(({ symbol }) => symbol), err: error }, 'following the log failed; retrying');
        leaveIfSilent(redis, error);
        await delay(backoffMs(failures, { minMs: 20, maxMs: 1_000 }), ended.signal).catch(() => undefined);
        failures += 1;
      }
    }
  }

  return {
    followers,
    join(follower) {
      followers.add(follower);
      if (followers.size === 1) void read();
      goOn();
    },
    leave(follower) {
      followers.delete(follower);
      goOn();
      if (followers.size > 0) return;
      onEnd();
      ended.abort();
      redis.disconnect();
    },
    take(follower) {
      goOn();
      return follower.entries.splice(0, follower.count);
    },
  };
}

async function readBlocking(
  redis: RedisConnection,
  followers: readonly Follower[],
  count: number,
  blockMs: number,
): Promise<ReadonlyMap<string, LogEntry[]>> {
  const keys = followers.map(({ symbol }) => streamKey(symbol));
  const ids = followers.map(({ position }) => formatEntryId(position));
  return readStreams(await redis.xreadBuffer('COUNT', count, 'BLOCK', blockMs, 'STREAMS', ...keys, ...ids));
}
