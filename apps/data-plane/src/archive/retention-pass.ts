import { type ObjectStore, deleteArchiveFile, ArchiveCorruptError, verifyArchiveBytes } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import { type Channel, CHANNELS } from '@market-state/market-data';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { DAY_MS, partitionName, dropPartition, listPartitions, type Partition } from '../store/partitions';
import type { ArchiveMetrics } from './archive-metrics';
import type { KeptDays, RetentionDays } from './archive-settings';
import { deleteOldCandles, beginArchiveAt, forgetHour, listEndedFiles, beginHotAt, listFilesOf } from '../store/archive-files';
import { type FeedClocks, readFeedClocks } from '../store/retention';

const HOUR_MS = 3_600_000;

/** A symbol may be so many days behind the others before it is told of that it holds their rows. */
const HELD_DAYS = 1;

interface RetentionDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: ArchiveMetrics;
  readonly days: RetentionDays;
  /** The symbols whose clocks count. */
  readonly symbols: readonly string[];
  /** Called after a day was dropped. */
  readonly onDropped: () => void;
}

/**
 * Drops the days of every channel that are past its hot days, oldest first and only when all their rows are in verified files,
 * and deletes files past its archive days, and candles with the trades they are of. What can't be dropped stays, and is told of. Rejects
 * when a store fails.
 */
export async function retentionPass(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const clocks = await readFeedClocks(deps.pool, deps.symbols);
  if (clocks === undefined) return;
  for (const channel of CHANNELS) {
    if (signal.aborted) return;
    await dropChannelDays(deps, channel, deps.days[channel], clocks);
    await deleteChannelFiles(deps, channel, deps.days[channel], clocks.behindMs);
  }
  const candles = await deleteOldCandles(deps.pool);
  if (candles > 0) deps.logger.info({ candles }, 'candles of trades past their archive days were deleted');
}

async function dropChannelDays(deps: RetentionDeps, channel: Channel, { hotDays }: KeptDays, clocks: FeedClocks): Promise<void> {
  let isBlocked = false;
  for (const day of await listDaysBefore(deps.pool, channel, clocks.behindMs - hotDays * DAY_MS)) {
    const partition = partitionName(day);
    try {
      await dropDay(deps, day);
      deps.onDropped();
      deps.metrics.dropped(channel);
      deps.logger.info({ partition }, 'a day was dropped; its rows are in the archive');
    } catch (error) {
      if (!isDayFault(error)) throw error;
      isBlocked = true;
      deps.logger.error({ partition, err: error }, 'a day past its hot days cannot be dropped');
      break;
    }
  }
  const [held] = await listDaysBefore(deps.pool, channel, clocks.aheadMs - (hotDays + HELD_DAYS) * DAY_MS);
  if (held !== undefined && !isBlocked) {
    isBlocked = true;
    deps.logger.error(
      { partition: partitionName(held), symbol: clocks.symbolBehind },
      'a day past its hot days is held by a symbol whose feed clock stands far behind',
    );
  }
  deps.metrics.retentionBlocked(channel, isBlocked);
}

async function deleteChannelFiles(deps: RetentionDeps, channel: Channel, { archiveDays }: KeptDays, clockMs: number): Promise<void> {
  const beforeMs = Math.floor((clockMs - archiveDays * DAY_MS) / HOUR_MS) * HOUR_MS;
  const total = await deleteFilesBefore(deps, channel, beforeMs);
  for (let file = 0; file < total; file += 1) deps.metrics.deleted(channel);
  if (total > 0) deps.logger.info({ channel, total, beforeMs }, 'files past their archive days were deleted');
}

interface DropDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

/** A day is not over, or its rows are not all in verified files of the archive, so that it can't be dropped. */
class DayNotArchivedError extends Error {
  override readonly name = 'DayNotArchivedError';
}

/** Days of a channel that end at or before `beforeMs`, oldest first. */
export async function listDaysBefore(pool: Pool, channel: Channel, beforeMs: number): Promise<Partition[]> {
  const partitions = await listPartitions(pool);
  return partitions.filter((partition) => partition.channel === channel && partition.dayMs + DAY_MS <= beforeMs);
}

/**
 * Drops one day of a channel, and moves where its hot rows begin in the same transaction. First the bytes of every file that
 * holds rows of the day are held against their SHA-256 again; then `drop_log_entry_day` of the database, with writing to the day shut,
 * counts its rows against the files' spans.
 * @throws {DayNotArchivedError} when the day is not over, a row is in no file, or a file's rows are not as many as in the day
 * @throws {ArchiveCorruptError} when a file is missing or was changed
 */
export async function dropDay({ pool, store }: DropDeps, day: Partition): Promise<void> {
  const verified = await verifyFiles(pool, store, day);
  await inTransaction(pool, async (client) => {
    await dropArchived(client, day, verified);
    await beginHotAt(client, day.channel, day.dayMs + DAY_MS);
  });
}

/** Keys of the files that hold rows of a day, all found whole. */
async function verifyFiles(pool: Pool, store: ObjectStore, { channel, dayMs }: Partition): Promise<string[]> {
  const files = await listFilesOf(pool, channel, dayMs, dayMs + DAY_MS);
  for (const file of files) await verifyArchiveBytes(store, file);
  return files.map(({ key }) => key);
}

/** SQLSTATE object_not_in_prerequisite_state: what the database says of a day that has to stay. */
const HAS_TO_STAY = '55000';

async function dropArchived(client: PoolClient, day: Partition, verified: readonly string[]): Promise<void> {
  await dropPartition(client, day, verified).catch((error: Error & { readonly code?: string }) => {
    throw error.code === HAS_TO_STAY ? new DayNotArchivedError(error.message) : error;
  });
}

/** Whether a day stays because of what is in it, not because a store failed. */
function isDayFault(error: unknown): boolean {
  return error instanceof DayNotArchivedError || error instanceof ArchiveCorruptError;
}

interface DeleteDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

/** Files of one look. */
const FILES_MAX = 200;

/**
 * Deletes the files of a channel whose rows are all older than `beforeMs`, exchange time, and no longer hot; gives back how many.
 * Where the archive begins is moved first, so that no reader is sent to a file that goes; what is known of a file is forgotten
 * last, so that a stop in between leaves nothing behind that nobody knows of.
 */
export async function deleteFilesBefore({ pool, store }: DeleteDeps, channel: Channel, beforeMs: number): Promise<number> {
  await beginArchiveAt(pool, channel, beforeMs);
  let total = 0;
  for (;;) {
    const ended = await listEndedFiles(pool, channel, FILES_MAX);
    for (const { key, ...hour } of ended) {
      await deleteArchiveFile(store, key);
      await inTransaction(pool, (client) => forgetHour(client, hour));
      total += 1;
    }
    if (ended.length < FILES_MAX) return total;
  }
}
