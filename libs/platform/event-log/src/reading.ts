import type { RedisConnection } from '@market-state/redis';
import { type LogEntry, readEntries, streamKey } from './entries';
import { type EntryId, formatEntryId } from './entry-id';

/** The newest entry's id, or undefined when the stream is empty or absent. */
export async function lastId(redis: RedisConnection, symbol: string): Promise<EntryId | undefined> {
  const [entry] = readEntries(await redis.xrevrangeBuffer(streamKey(symbol), '+', '-', 'COUNT', 1));
  return entry === undefined ? undefined : { epoch: entry.epoch, ordinal: entry.ordinal };
}

/** The oldest entry kept. */
export async function firstId(redis: RedisConnection, symbol: string): Promise<EntryId | undefined> {
  const [entry] = readEntries(await redis.xrangeBuffer(streamKey(symbol), '-', '+', 'COUNT', 1));
  return entry === undefined ? undefined : { epoch: entry.epoch, ordinal: entry.ordinal };
}

/** Up to `count` entries after `afterId`, oldest first. */
export async function readAfter(redis: RedisConnection, symbol: string, afterId: EntryId, count: number): Promise<LogEntry[]> {
  return readEntries(await redis.xrangeBuffer(streamKey(symbol), `(${formatEntryId(afterId)}`, '+', 'COUNT', count));
}

/** The `count` entries before `beforeId` (or the newest), oldest first. */
export async function readBefore(
  redis: RedisConnection,
  symbol: string,
  beforeId: EntryId | undefined,
  count: number,
): Promise<LogEntry[]> {
  const end = beforeId === undefined ? '+' : `(${formatEntryId(beforeId)}`;
  return readEntries(await redis.xrevrangeBuffer(streamKey(symbol), end, '-', 'COUNT', count)).reverse();
}
