import { archiveLogColumns, DAY_MS } from '@market-state/market-data';
import { NUMBER_TYPES, type Queryable, selectRows } from '@market-state/postgres';
import type { Pool } from 'pg';
import { readSpan, type RowSource, type SpanDeps, fromArchive, type LogSegment } from '../archive/read-span';
import { filtersOf, type RowWindow, valuesOf, WINDOW, type WindowPart, liesWholeIn, logSegmentOf } from './row-window';
import { reading } from './store-failure';
import type { FinishedHour } from './archive-files';
import type { ChannelHour } from './channel-hours';
import { dayOf } from './partitions';

export interface LogRow {
  readonly ordinal: number;
  readonly epoch: number;
  readonly pass: number;
  readonly venueId: string;
  readonly exchangeTsMs: number;
  readonly receivedTsMs: number;
  readonly flags: number;
  readonly payload: Buffer;
}

export interface DayCount {
  readonly dayMs: number;
  readonly rows: number;
}

/**
 * Oldest day first, without empty days. Uses the count kept at write time if the hour lies within one day of the
 * window.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` if the hour's file is needed and missing or damaged;
 * otherwise as `storeFailure`
 */
export async function countByDay(deps: SpanDeps, window: RowWindow, hour: ChannelHour): Promise<DayCount[]> {
  const logSegment = logSegmentOf(window, hour);
  const counts =
    liesWholeIn(window, hour) && dayOf(hour.minExchangeMs) === dayOf(hour.maxExchangeMs)
      ? [{ dayMs: dayOf(hour.minExchangeMs), rows: hour.rowTotal }]
      : hour.file === undefined
        ? await countHot(deps, window, logSegment)
        : await countArchived(deps, window, hour, logSegment);
  return counts.filter(({ rows }) => rows > 0);
}

function countHot({ pool }: SpanDeps, window: RowWindow, logSegment: LogSegment): Promise<DayCount[]> {
  const text = `SELECT exchange_ts_ms / ${DAY_MS} * ${DAY_MS} AS day_ms, count(*) AS rows FROM log_entry WHERE ${WINDOW} GROUP BY 1 ORDER BY 1`;
  return reading(selectRows<DayCount>(pool, { text, values: valuesOf(window, logSegment) }));
}

async function countArchived(deps: SpanDeps, window: RowWindow, hour: ChannelHour, logSegment: LogSegment): Promise<DayCount[]> {
  const { file } = hour;
  if (file === undefined) return [];
  const startMs = Math.max(window.startMs, hour.minExchangeMs);
  const endMs = Math.min(window.endMs, hour.maxExchangeMs + 1);
  const counts: DayCount[] = [];
  for (let dayMs = dayOf(startMs); dayMs < endMs; dayMs += DAY_MS) {
    const day = { ...window, startMs: Math.max(startMs, dayMs), endMs: Math.min(endMs, dayMs + DAY_MS) };
    counts.push({ dayMs, rows: await fromArchive(deps, hour, (archive) => archive.count(file, filtersOf(day, logSegment))) });
  }
  return counts;
}

/** A row of an hour as it is archived. */
export interface HourRow extends Omit<LogRow, 'venueId'> {
  readonly venueId: string | null;
}

/** Named as the fields of a row; read with `NUMBER_TYPES`. */
const COLUMNS = `ordinal, epoch, pass, exchange_ts_ms AS "exchangeTsMs", received_ts_ms AS "receivedTsMs", flags, payload`;

const PAGE_ROWS = 1_000;

const PAGE = `
  SELECT ${COLUMNS}, venue_id AS "venueId" FROM log_entry
  WHERE symbol = $1 AND channel = $2 AND ordinal > $3 AND ordinal <= $4 AND exchange_ts_ms BETWEEN $5 AND $6
  ORDER BY ordinal LIMIT ${PAGE_ROWS}`;

/** Duplicates included; empty after the last. */
export async function readHourPage(
  on: Queryable,
  { symbol, channel, lastOrdinal, minExchangeMs, maxExchangeMs }: FinishedHour,
  afterOrdinal: number,
): Promise<readonly HourRow[]> {
  if (afterOrdinal >= lastOrdinal) return [];
  const values = [symbol, channel, afterOrdinal, lastOrdinal, minExchangeMs, maxExchangeMs];
  return (await on.query<HourRow>({ text: PAGE, values, types: NUMBER_TYPES })).rows;
}

const ARCHIVED = archiveLogColumns(['ordinal', 'epoch', 'pass', 'venue_id', 'exchange_ts_ms', 'received_ts_ms', 'flags', 'payload']);

type Cells = readonly [
  ordinal: number,
  epoch: number,
  pass: number,
  venueId: string | null,
  exchangeTsMs: number,
  receivedTsMs: number,
  flags: number,
  payload: Buffer,
];

/**
 * Without duplicates, across hot rows and archive.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` naming the hour; otherwise as `storeFailure`
 */
export function readLogRows(deps: SpanDeps, part: WindowPart): Promise<LogRow[]> {
  return readSpan(deps, part, part.limit, logRows(deps.pool, part));
}

function logRows(pool: Pool, window: RowWindow): RowSource<LogRow> {
  return {
    async hot(logSegment) {
      const text = `SELECT ${COLUMNS}, coalesce(venue_id, '') AS "venueId" FROM log_entry WHERE ${WINDOW} ORDER BY ordinal LIMIT $8`;
      const values = [...valuesOf(window, logSegment), logSegment.limit];
      return (await reading(pool.query<LogRow>({ text, values, types: NUMBER_TYPES }))).rows;
    },
    async archived(archive, { file }, logSegment) {
      if (file === undefined) return [];
      const rows = await archive.read(file, { columns: ARCHIVED, filters: filtersOf(window, logSegment), limit: logSegment.limit });
      return (rows as readonly unknown[] as Cells[]).map(([ordinal, epoch, pass, venueId, exchangeTsMs, receivedTsMs, flags, payload]) => {
        return { ordinal, epoch, pass, venueId: venueId ?? '', exchangeTsMs, receivedTsMs, flags, payload };
      });
    },
  };
}
