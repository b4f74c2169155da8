import {
  type ArchiveWriter,
  createArchiveWriter,
  type ObjectStore,
  StoreError,
  type Row,
  type Manifest,
  deleteArchiveFile,
  ArchiveCorruptError,
  verifyArchiveBytes,
} from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import {
  archiveRow,
  decodeEvent,
  EventDecodeError,
  type MarketEvent,
  archiveLayoutOf,
  type Channel,
  CHANNELS,
} from '@market-state/market-data';
import { isTransientDatabaseError, inTransaction } from '@market-state/postgres';
import type { PoolClient, Pool } from 'pg';
import type { ArchiveMetrics } from './archive-metrics';
import {
  type FinishedHour,
  listFinishedHours,
  objectKeyOf,
  registerFile,
  deleteOldCandles,
  beginArchiveAt,
  forgetHour,
  listEndedFiles,
  beginHotAt,
  listFilesOf,
} from '../store/archive-files';
import { type HourRow, readHourPage } from '../store/log-rows';
import { listGapIds } from '../store/gaps';
import { DAY_MS, partitionName, dropPartition, listPartitions, type Partition } from '../store/partitions';
import type { RetentionPeriods, RetentionDays } from './archive-settings';
import { type FeedClocks, readFeedClocks } from '../store/retention';

interface ArchiveHourDeps {
  readonly pool: Pool;
  readonly writer: ArchiveWriter;
  readonly nowMs: () => number;
}

/**
 * The `archive_file` row is written last, over the lock's connection, so that an archiver without the lock cannot
 * register a file. Idempotent at every step.
 * @throws {HourFaultError} if rows and counts disagree
 * @throws {ArchiveCorruptError} if the stored file differs
 */
export async function archiveHour(deps: ArchiveHourDeps, lock: PoolClient, hour: FinishedHour): Promise<Manifest> {
  const key = objectKeyOf(hour);
  const gapIds = await listGapIds(deps.pool, hour);
  const manifest = await deps.writer.write({
    key,
    layout: archiveLayoutOf(hour.channel),
    rows: () => hourRows(deps.pool, hour),
    gapIds,
  });
  refuseOther(hour, manifest);
  await registerFile(lock, hour, manifest, deps.nowMs());
  return manifest;
}

function refuseOther(hour: FinishedHour, manifest: Manifest): void {
  const isOfHour =
    manifest.rows === hour.rowTotal &&
    manifest.first_ordinal === hour.firstOrdinal &&
    manifest.last_ordinal === hour.lastOrdinal &&
    manifest.min_time_ms === hour.minExchangeMs &&
    manifest.max_time_ms === hour.maxExchangeMs;
  if (!isOfHour) throw new HourFaultError(`the existing file at ${manifest.object_key} does not contain the hour's rows`);
}

const PIECE_ROWS = 64;

/** Rows differ from the counts kept at write time, or contradict their entries. */
class HourFaultError extends Error {
  override readonly name = 'HourFaultError';
}

/**
 * Duplicates included. Prefetches during processing.
 * @throws {HourFaultError} if the count is wrong, or a row contradicts its entry
 */
async function* hourRows(pool: Pool, hour: FinishedHour): AsyncGenerator<Row[]> {
  let total = 0;
  for (let reading = readHourPage(pool, hour, hour.firstOrdinal - 1); ; ) {
    const rows = await reading;
    const last = rows.at(-1);
    if (last === undefined) break;
    reading = readHourPage(pool, hour, Number(last.ordinal));
    // Avoids an unhandled rejection if the consumer stops early.
    reading.catch(() => undefined);
    total += rows.length;
    for (let from = 0; from < rows.length; from += PIECE_ROWS)
      yield rows.slice(from, from + PIECE_ROWS).map((row) => toArchiveRow(hour, row));
  }
  if (total !== hour.rowTotal) throw new HourFaultError(`found ${total} rows, expected ${hour.rowTotal}`);
}

function toArchiveRow({ symbol, channel }: FinishedHour, row: HourRow): Row {
  const { epoch, pass, venue_id: venueId, flags, payload } = row;
  const stored = {
    ordinal: Number(row.ordinal),
    epoch,
    pass,
    venueId,
    exchangeTsMs: Number(row.exchange_ts_ms),
    receivedTsMs: Number(row.received_ts_ms),
    flags,
    payload,
  };
  const archived = archiveRow(symbol, channel, stored, eventOf(row));
  if (archived === undefined) throw new HourFaultError(`the row of ordinal ${row.ordinal} contradicts its entry`);
  return archived;
}

function eventOf({ ordinal, payload }: HourRow): MarketEvent {
  try {
    return decodeEvent(payload);
  } catch (error) {
    if (!(error instanceof EventDecodeError)) throw error;
    throw new HourFaultError(`the payload of ordinal ${ordinal} is not a valid event`, { cause: error });
  }
}

interface ArchivePassDeps extends Omit<ArchiveHourDeps, 'writer'> {
  readonly store: ObjectStore;
  readonly logger: Logger;
  readonly metrics: ArchiveMetrics;
  readonly symbols: readonly string[];
}

const HOURS_MAX = 500;
const HOUR_MS = 3_600_000;
const BLOCKED_PAUSE_MS = 300_000;

export type BlockedHours = Map<string, number>;

/** An hour that fails is logged, skipped and retried five minutes later. Returns the number archived. */
export async function archivePass(deps: ArchivePassDeps, lock: PoolClient, blocked: BlockedHours, signal: AbortSignal): Promise<number> {
  const hours = await listFinishedHours(deps.pool, deps.symbols, HOURS_MAX);
  forgetOthers(blocked, hours);
  deps.metrics.lag(lagOf(hours));
  const writer = createArchiveWriter(deps.store);
  try {
    const total = await archiveHours(deps, writer, lock, hours, blocked, signal);
    if (total > 0) deps.metrics.lag(lagOf(await listFinishedHours(deps.pool, deps.symbols, HOURS_MAX)));
    return total;
  } finally {
    await writer.close();
  }
}

async function archiveHours(
  deps: ArchivePassDeps,
  writer: ArchiveWriter,
  lock: PoolClient,
  hours: readonly FinishedHour[],
  blocked: BlockedHours,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const hour of hours) {
    if (signal.aborted) return total;
    const key = objectKeyOf(hour);
    const triedAtMs = blocked.get(key);
    if (triedAtMs !== undefined && deps.nowMs() - triedAtMs < BLOCKED_PAUSE_MS) continue;
    try {
      const manifest = await archiveHour({ ...deps, writer }, lock, hour);
      total += 1;
      blocked.delete(key);
      deps.metrics.archived(hour.channel, manifest);
      deps.logger.info({ key, rows: manifest.rows, bytes: manifest.bytes }, 'hour archived');
    } catch (error) {
      if (isTransientDatabaseError(error) || error instanceof StoreError) throw error;
      blocked.set(key, deps.nowMs());
      deps.logger.error({ key, err: error }, 'hour cannot be archived; its rows stay hot');
    }
    deps.metrics.blockedHours(blocked.size);
  }
  return total;
}

function lagOf(hours: readonly FinishedHour[]): number {
  const oldest = hours[0];
  const newestMs = Math.max(...hours.map(({ hourMs }) => hourMs));
  return oldest === undefined ? 0 : (newestMs - oldest.hourMs) / HOUR_MS + 1;
}

function forgetOthers(blocked: BlockedHours, hours: readonly FinishedHour[]): void {
  const keys = new Set(hours.map(objectKeyOf));
  for (const key of blocked.keys()) if (!keys.has(key)) blocked.delete(key);
}

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
