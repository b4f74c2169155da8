import { ArchiveCorruptError, type ArchiveReader, type Filter } from '@market-state/archive';
import { archiveLogColumns, type Channel, HOUR_MS } from '@market-state/market-data';
import { NUMBER_TYPES } from '@market-state/postgres';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { reading } from './store-failure';
import { type ChannelHour, planHours } from './channel-hours';
import { readSpan, type RowSource, segmentOfHours, type SpanDeps } from '../archive/read-span';
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

/** Columns of `log_entry` named as the fields of a StoredRow; read with `NUMBER_TYPES`. */
const STORED_ROW = `ordinal, epoch, channel, exchange_ts_ms AS "exchangeTsMs", received_ts_ms AS "receivedTsMs", flags, payload`;

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
      const text = `SELECT ${STORED_ROW} FROM log_entry WHERE ${WINDOW} ORDER BY ordinal LIMIT $8`;
      const values = [...valuesOf(window, logSegment), logSegment.limit];
      return (await reading(pool.query<StoredRow>({ text, values, types: NUMBER_TYPES }))).rows;
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
  if (hour.file === undefined) return countHot(pool, window, hour);
  return countArchived(archive, hour.file, filtersOf(window, logSegment));
}

/** Rows of an hour up to an ordinal, whenever they were received. */
interface CountedRows {
  readonly toOrdinal: number;
  readonly rows: number;
  readonly lastReceivedMs: number;
}

/** Planned for each span of ordinals: a plan for any span reads the whole day. */
const COUNT = `SELECT count(*)::int AS total, count(*) FILTER (WHERE received_ts_ms <= $8)::int AS received,
    max(received_ts_ms) AS last_received
  FROM log_entry WHERE ${WINDOW}`;
const COUNTED_MAX = 1_000;
/** Rows never change while they are hot, so a later count of the same window reads only what came since. */
const counted = new WeakMap<Pool, LRUCache<string, CountedRows>>();

async function countHot(pool: Pool, window: RowWindow, hour: ChannelHour): Promise<number> {
  const { symbol, startMs, endMs, asOfMs } = window;
  const segment = logSegmentOf(window, hour);
  const known = counted.get(pool) ?? new LRUCache<string, CountedRows>({ max: COUNTED_MAX });
  counted.set(pool, known);
  const key = JSON.stringify([symbol, hour.channel, hour.hourMs, hour.firstOrdinal, startMs, endMs]);
  const had = known.get(key);
  const isPart = had !== undefined && had.toOrdinal <= segment.toOrdinal && had.lastReceivedMs <= asOfMs;
  const before = isPart ? had : { toOrdinal: segment.afterOrdinal, rows: 0, lastReceivedMs: 0 };
  const values = valuesOf({ ...window, asOfMs: Number.MAX_SAFE_INTEGER }, { ...segment, afterOrdinal: before.toOrdinal });
  const { rows } = await reading(pool.query<{ total: number; received: number; last_received: string | null }>(COUNT, [...values, asOfMs]));
  const { total = 0, received = 0, last_received: lastReceivedMs = null } = rows[0] ?? {};
  if (endMs - startMs >= HOUR_MS && segment.toOrdinal >= (had?.toOrdinal ?? 0))
    known.set(key, {
      toOrdinal: segment.toOrdinal,
      rows: before.rows + total,
      lastReceivedMs: Math.max(before.lastReceivedMs, Number(lastReceivedMs ?? 0)),
    });
  return before.rows + received;
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

export interface SourceWindow extends RowWindow {
  /** Entry that closed the packet's window; ordinal 0 if unknown. */
  readonly closedBy: { readonly epoch: number; readonly ordinal: number };
  /** Rows with a later exchange time are in the packet's own window. */
  readonly ownAfterMs: number;
  readonly rowLimit: number;
}

/** Counts, and the last in-time rows by exchange time, then ordinal, ascending. */
export interface SourceRows {
  readonly inTimeTotal: number;
  /** In-time rows within the packet's own window. */
  readonly inWindowTotal: number;
  readonly lateTotal: number;
  readonly rows: readonly StoredRow[];
}

export const NO_SOURCE_ROWS: SourceRows = { inTimeTotal: 0, inWindowTotal: 0, lateTotal: 0, rows: [] };

// Sorts late rows last, so that the totals are returned even if no row was in time.
const HOT = `
  SELECT ${STORED_ROW}, in_time AS "isInTime",
    (count(*) FILTER (WHERE in_time) OVER ())::int AS "inTimeTotal",
    (count(*) FILTER (WHERE in_time AND exchange_ts_ms > $10) OVER ())::int AS "inWindowTotal",
    (count(*) FILTER (WHERE NOT in_time) OVER ())::int AS "lateTotal"
  FROM (SELECT *, $9 = 0 OR epoch < $8 OR (epoch = $8 AND ordinal <= $9) AS in_time FROM log_entry WHERE ${WINDOW}) AS entry
  ORDER BY in_time DESC, exchange_ts_ms DESC, ordinal DESC LIMIT $11`;

type HotColumns = StoredRow & Omit<SourceRows, 'rows'> & { readonly isInTime: boolean };

/** Source rows if all are hot and in these hours. Rejects as `storeFailure`. */
export async function readHotSourceRows(pool: Pool, window: SourceWindow, hours: readonly ChannelHour[]): Promise<SourceRows> {
  const { closedBy, ownAfterMs, rowLimit, toOrdinal } = window;
  const logSegment = segmentOfHours({ afterOrdinal: 0, toOrdinal }, hours, rowLimit);
  const values = [...valuesOf(window, logSegment), closedBy.epoch, closedBy.ordinal, ownAfterMs, rowLimit];
  const { rows: found } = await reading(pool.query<HotColumns>({ text: HOT, values, types: NUMBER_TYPES }));
  const [first] = found;
  if (first === undefined) return NO_SOURCE_ROWS;
  const { inTimeTotal, inWindowTotal, lateTotal } = first;
  const rows = found.flatMap(({ isInTime, inTimeTotal: _t, inWindowTotal: _w, lateTotal: _l, ...row }) => (isInTime ? [row] : []));
  return { inTimeTotal, inWindowTotal, lateTotal, rows: rows.reverse() };
}

export function sourceRowsOf({ closedBy, ownAfterMs, rowLimit }: SourceWindow, all: readonly StoredRow[]): SourceRows {
  const inTime = all
    .filter(
      ({ epoch, ordinal }) => closedBy.ordinal === 0 || epoch < closedBy.epoch || (epoch === closedBy.epoch && ordinal <= closedBy.ordinal),
    )
    .sort((a, b) => a.exchangeTsMs - b.exchangeTsMs || a.ordinal - b.ordinal);
  return {
    inTimeTotal: inTime.length,
    inWindowTotal: inTime.filter(({ exchangeTsMs }) => exchangeTsMs > ownAfterMs).length,
    lateTotal: all.length - inTime.length,
    rows: inTime.slice(-rowLimit),
  };
}
