import { fromArchive, type SpanDeps, type Stretch } from '../archive/read-span';
import type { ChannelHour } from './channel-hours';
import { DAY_MS, dayOf } from './partitions';
import { filtersOf, liesWholeIn, type RowWindow, stretchOf, valuesOf, WINDOW } from './row-window';
import { reading } from './store-failure';

/** Rows of one UTC day of exchange time. */
export interface DayCount {
  readonly dayMs: number;
  readonly rows: number;
}

/**
 * Counts the rows that an hour has of a window, by day, oldest first; days without rows are left out. An hour that lies whole in one day of
 * the window has the count that was made when its rows were written; any other is counted in the database, or in its file once not all its
 * rows are hot.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` when that file is missing or damaged; else as `storeFailure` says
 */
export async function countByDay(deps: SpanDeps, window: RowWindow, hour: ChannelHour): Promise<DayCount[]> {
  const stretch = stretchOf(window, hour);
  const counts =
    liesWholeIn(window, hour) && dayOf(hour.minExchangeMs) === dayOf(hour.maxExchangeMs)
      ? [{ dayMs: dayOf(hour.minExchangeMs), rows: hour.rowTotal }]
      : hour.file === undefined
        ? await countHot(deps, window, stretch)
        : await countArchived(deps, window, hour, stretch);
  return counts.filter(({ rows }) => rows > 0);
}

async function countHot({ pool }: SpanDeps, window: RowWindow, stretch: Stretch): Promise<DayCount[]> {
  const { rows } = await reading(
    pool.query<{ day_ms: string; total: string }>(
      `SELECT exchange_ts_ms / ${DAY_MS} * ${DAY_MS} AS day_ms, count(*) AS total FROM log_entry WHERE ${WINDOW} GROUP BY 1 ORDER BY 1`,
      valuesOf(window, stretch),
    ),
  );
  return rows.map((row) => ({ dayMs: Number(row.day_ms), rows: Number(row.total) }));
}

async function countArchived(deps: SpanDeps, window: RowWindow, hour: ChannelHour, stretch: Stretch): Promise<DayCount[]> {
  const { file } = hour;
  if (file === undefined) return [];
  const startMs = Math.max(window.startMs, hour.minExchangeMs);
  const endMs = Math.min(window.endMs, hour.maxExchangeMs + 1);
  const counts: DayCount[] = [];
  for (let dayMs = dayOf(startMs); dayMs < endMs; dayMs += DAY_MS) {
    const day = { ...window, startMs: Math.max(startMs, dayMs), endMs: Math.min(endMs, dayMs + DAY_MS) };
    counts.push({ dayMs, rows: await fromArchive(deps, hour, (archive) => archive.count(file, filtersOf(day, stretch))) });
  }
  return counts;
}
