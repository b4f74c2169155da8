import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { leaveIfSilent, openRedis, type RedisConnection, whenReady } from '@market-state/redis';
import { type LogEntry, readSingleStream, streamKey } from './entries';
import { type EntryId, formatEntryId } from './entry-id';

/** How long one XREAD waits at the server, milliseconds; a server that is silent for longer than its connection allows is left. */
const BLOCK_MS = 2_000;

export interface FollowOptions {
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
export async function* follow(
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
