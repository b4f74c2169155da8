import { type ArchiveWriter, createArchiveWriter, type ObjectStore, StoreError, type Row, type Manifest } from '@market-state/archive';
import type { Logger } from '@market-state/logging';
import { archiveRow, decodeEvent, EventDecodeError, type MarketEvent, archiveLayoutOf, HOUR_MS } from '@market-state/market-data';
import { isTransientDatabaseError } from '@market-state/postgres';
import type { PoolClient, Pool } from 'pg';
import type { ArchiveMetrics } from './archive-metrics';
import { type FinishedHour, listFinishedHours, objectKeyOf, registerFile } from '../store/archive-files';
import { type HourRow, readHourPage } from '../store/log-rows';
import { listGapIds } from '../store/gaps';

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
    reading = readHourPage(pool, hour, last.ordinal);
    // Avoids an unhandled rejection if the consumer stops early.
    reading.catch(() => undefined);
    total += rows.length;
    for (let from = 0; from < rows.length; from += PIECE_ROWS)
      yield rows.slice(from, from + PIECE_ROWS).map((row) => toArchiveRow(hour, row));
  }
  if (total !== hour.rowTotal) throw new HourFaultError(`found ${total} rows, expected ${hour.rowTotal}`);
}

function toArchiveRow({ symbol, channel }: FinishedHour, row: HourRow): Row {
  const archived = archiveRow(symbol, channel, row, eventOf(row));
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
