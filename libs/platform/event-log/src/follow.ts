import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { leaveIfSilent, openRedis, type RedisConnection, whenReady } from '@market-state/redis';
import { type EntryId, formatEntryId, type LogEntry, readStreams, streamKey } from './log-redis';

export interface FollowOptions {
  /** Largest batch; default 1,000. */
  readonly count?: number;
}

export type Follow = (symbol: string, afterId: EntryId, signal: AbortSignal, options?: FollowOptions) => AsyncGenerator<LogEntry[], void>;

const COUNT = 1_000;

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
export function createFollowing(deps: FollowingDeps): Follow {
  const readers = new Set<Reader>();

  function readerFor(symbol: string): Reader {
    const shared = [...readers].find(({ followers }) => ![...followers].some((follower) => follower.symbol === symbol));
    if (shared !== undefined && !deps.isCluster) return shared;
    const reader = createReader(deps, () => readers.delete(reader));
    readers.add(reader);
    return reader;
  }

  return async function* follow(symbol, afterId, signal, { count = COUNT } = {}) {
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
