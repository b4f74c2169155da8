import { ArchiveCorruptError, type ArchiveReader, type Filter } from '@market-state/archive';
import { archiveLogColumns, type Channel } from '@market-state/market-data';
import type { Pool } from 'pg';
import { reading } from './store-failure';
import { type ChannelHour, planHours } from './channel-hours';
import { readSpan, type RowSource, type SpanDeps } from '../archive/read-span';
import { filtersOf, liesWholeIn, type RowWindow, logSegmentOf, valuesOf, WINDOW, type WindowPart } from './row-window';

export type WindowReaderDeps = SpanDeps;

export interface StoredRow {
  readonly ordinal: number;
  readonly epoch: number;
  readonly channel: Channel;
  readonly exchangeTsMs: number;
  readonly receivedTsMs: number;
  /** Sum of 1 snapshot, 2 late, 4 clock_skew, 8 after_gap, 16 synthetic. */
  readonly flags: number;
  readonly payload: Buffer;
}

/** Row count determined independently of reading, and reasons why it may be low. */
export interface ExpectedRows {
  readonly rows: number;
  readonly reasons: readonly 'archive_unreadable'[];
}

const ARCHIVED = archiveLogColumns(['ordinal', 'epoch', 'exchange_ts_ms', 'received_ts_ms', 'flags', 'payload']);
type ArchivedCells = readonly [ordinal: number, epoch: number, exchangeTsMs: number, receivedTsMs: number, flags: number, payload: Buffer];

export interface RowColumns {
  readonly ordinal: string;
  readonly epoch: number;
  readonly channel: Channel;
  readonly exchange_ts_ms: string;
  readonly received_ts_ms: string;
  readonly flags: number;
  readonly payload: Buffer;
}

/**
 * Without duplicates, across hot rows and archive.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` naming the hour; otherwise as `storeFailure`
 */
export function readWindowRows(deps: WindowReaderDeps, part: WindowPart): Promise<StoredRow[]> {
  return readSpan(deps, part, part.limit, windowRows(deps.pool, part));
}

function windowRows(pool: Pool, window: RowWindow): RowSource<StoredRow> {
  return {
    async hot(logSegment) {
      const { rows } = await reading(
        pool.query<RowColumns>(
          `SELECT ordinal, epoch, channel, exchange_ts_ms, received_ts_ms, flags, payload FROM log_entry WHERE ${WINDOW}
            ORDER BY ordinal LIMIT $8`,
          [...valuesOf(window, logSegment), logSegment.limit],
        ),
      );
      return rows.map(toStoredRow);
    },
    async archived(archive, { channel, file }, logSegment) {
      if (file === undefined) return [];
      const rows = (await archive.read(file, {
        columns: ARCHIVED,
        filters: filtersOf(window, logSegment),
        limit: logSegment.limit,
      })) as readonly unknown[] as readonly ArchivedCells[];
      return rows.map(([ordinal, epoch, exchangeTsMs, receivedTsMs, flags, payload]) => ({
        ordinal,
        epoch,
        channel,
        exchangeTsMs,
        receivedTsMs,
        flags,
        payload,
      }));
    },
  };
}

export function toStoredRow(row: RowColumns): StoredRow {
  return {
    ordinal: Number(row.ordinal),
    epoch: row.epoch,
    channel: row.channel,
    exchangeTsMs: Number(row.exchange_ts_ms),
    receivedTsMs: Number(row.received_ts_ms),
    flags: row.flags,
    payload: row.payload,
  };
}

/**
 * Uses stored counts for hours entirely within the window, and queries hot rows or files at its edges. Rejects as
 * `storeFailure`.
 */
export async function expectedRows(deps: WindowReaderDeps, window: RowWindow): Promise<ExpectedRows> {
  let rows = 0;
  let isUnreadable = false;
  for (let afterOrdinal = 0; ; ) {
    const { hours, isWhole } = await planHours(deps.pool, { ...window, afterOrdinal });
    const counts = await Promise.all(hours.map((hour) => countHour(deps, window, hour)));
    rows += counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    isUnreadable ||= counts.includes(undefined);
    if (isWhole) return { rows, reasons: isUnreadable ? ['archive_unreadable'] : [] };
    afterOrdinal = Math.max(...hours.map(({ lastOrdinal }) => lastOrdinal));
  }
}

/** Undefined if it needs an unreadable file. */
async function countHour({ pool, archive }: WindowReaderDeps, window: RowWindow, hour: ChannelHour): Promise<number | undefined> {
  if (liesWholeIn(window, hour)) return hour.rowTotal;
  const logSegment = logSegmentOf(window, hour);
  if (hour.file === undefined) {
    const { rows } = await reading(
      pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM log_entry WHERE ${WINDOW}`, valuesOf(window, logSegment)),
    );
    return rows[0]?.total ?? 0;
  }
  return countArchived(archive, hour.file, filtersOf(window, logSegment));
}

async function countArchived(
  archive: ArchiveReader | undefined,
  file: NonNullable<ChannelHour['file']>,
  filters: readonly Filter[],
): Promise<number | undefined> {
  try {
    return archive && (await reading(archive.count(file, filters)));
  } catch (error) {
    if (error instanceof ArchiveCorruptError) return undefined;
    throw error;
  }
}
