import { type ObjectStore, deleteArchiveFile, ArchiveCorruptError, verifyArchiveBytes } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import { type Channel, CHANNELS, HOUR_MS, DAY_MS } from '@market-state/market-data';
import { inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { partitionName, dropPartition, listPartitions, type Partition } from '../store/partitions';
import type { ArchiveMetrics } from './archive-metrics';
import type { RetentionPeriods, RetentionDays } from './archive-settings';
import { deleteOldCandles, beginArchiveAt, forgetHour, listEndedFiles, beginHotAt, listFilesOf } from '../store/archive-files';
import { type FeedClocks, readFeedClocks } from '../store/retention';

/** Warn if one symbol's slow clock delays the others by this much. */
const HELD_DAYS = 1;

interface RetentionDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: ArchiveMetrics;
  readonly days: RetentionDays;
  readonly symbols: readonly string[];
  readonly onDropped: () => void;
}

/**
 * Drops days past their hot retention whose rows are all in verified files; then deletes files past their archive
 * retention, with the matching candles. What cannot be dropped stays and is reported.
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
  if (candles > 0) deps.logger.info({ candles }, 'deleted candles past the archive retention of their trades');
}

async function dropChannelDays(deps: RetentionDeps, channel: Channel, { hotDays }: RetentionPeriods, clocks: FeedClocks): Promise<void> {
  let isBlocked = false;
  for (const day of await listDaysBefore(deps.pool, channel, clocks.behindMs - hotDays * DAY_MS)) {
    const partition = partitionName(day);
    try {
      await dropDay(deps, day);
      deps.onDropped();
      deps.metrics.dropped(channel);
      deps.logger.info({ partition }, 'day dropped; its rows are in the archive');
    } catch (error) {
      if (!isDayFault(error)) throw error;
      isBlocked = true;
      deps.logger.error({ partition, err: error }, 'a day past its hot retention cannot be dropped');
      break;
    }
  }
  const [held] = await listDaysBefore(deps.pool, channel, clocks.aheadMs - (hotDays + HELD_DAYS) * DAY_MS);
  if (held !== undefined && !isBlocked) {
    isBlocked = true;
    deps.logger.error(
      { partition: partitionName(held), symbol: clocks.symbolBehind },
      'a day past its hot retention is blocked by a symbol whose feed clock is far behind',
    );
  }
  deps.metrics.retentionBlocked(channel, isBlocked);
}

async function deleteChannelFiles(
  deps: RetentionDeps,
  channel: Channel,
  { archiveDays }: RetentionPeriods,
  clockMs: number,
): Promise<void> {
  const beforeMs = Math.floor((clockMs - archiveDays * DAY_MS) / HOUR_MS) * HOUR_MS;
  const total = await deleteFilesBefore(deps, channel, beforeMs);
  for (let file = 0; file < total; file += 1) deps.metrics.deleted(channel);
  if (total > 0) deps.logger.info({ channel, total, beforeMs }, 'deleted files past their archive retention');
}

interface DropDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

class DayNotArchivedError extends Error {
  override readonly name = 'DayNotArchivedError';
}

export async function listDaysBefore(pool: Pool, channel: Channel, beforeMs: number): Promise<Partition[]> {
  const partitions = await listPartitions(pool);
  return partitions.filter((partition) => partition.channel === channel && partition.dayMs + DAY_MS <= beforeMs);
}

/**
 * Drops a channel's day and advances the start of hot rows in one transaction, after checking the SHA-256 of every
 * file; `drop_log_entry_day` then blocks writes and compares row counts.
 * @throws {DayNotArchivedError} if the day is not over, or counts disagree
 * @throws {ArchiveCorruptError} if a file is missing or changed
 */
export async function dropDay({ pool, store }: DropDeps, day: Partition): Promise<void> {
  const verified = await verifyFiles(pool, store, day);
  await inTransaction(pool, async (client) => {
    await dropArchived(client, day, verified);
    await beginHotAt(client, day.channel, day.dayMs + DAY_MS);
  });
}

async function verifyFiles(pool: Pool, store: ObjectStore, { channel, dayMs }: Partition): Promise<string[]> {
  const files = await listFilesOf(pool, channel, dayMs, dayMs + DAY_MS);
  for (const file of files) await verifyArchiveBytes(store, file);
  return files.map(({ key }) => key);
}

/** SQLSTATE object_not_in_prerequisite_state, raised if the day must stay. */
const HAS_TO_STAY = '55000';

async function dropArchived(client: PoolClient, day: Partition, verified: readonly string[]): Promise<void> {
  await dropPartition(client, day, verified).catch((error: Error & { readonly code?: string }) => {
    throw error.code === HAS_TO_STAY ? new DayNotArchivedError(error.message) : error;
  });
}

function isDayFault(error: unknown): boolean {
  return error instanceof DayNotArchivedError || error instanceof ArchiveCorruptError;
}

interface DeleteDeps {
  readonly pool: Pool;
  readonly store: ObjectStore;
}

const FILES_MAX = 200;

/**
 * Advances the archive's start first, so that readers avoid the files; removes the metadata last, so that an
 * interruption leaves no orphans. Returns the number of files.
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
