import { type ChannelHour, listKeptHours } from '../store/channel-hours';
import { countByDay, type DayCount } from '../store/day-counts';
import type { RowWindow } from '../store/row-window';
import { byPlan, type SpanDeps } from './read-span';

/** An hour of a span, and the rows that it has of it by day; none unless they are counted. */
export interface PlannedHour {
  readonly hour: ChannelHour;
  readonly days: readonly DayCount[];
}

/**
 * The hours that may have rows of a window, in log order. `counted`: those that have none are left out.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` when rows are counted in a file that is missing or damaged; else as
 * `storeFailure` says
 */
export function planSpan(deps: SpanDeps, window: RowWindow, counted: boolean): Promise<PlannedHour[]> {
  return byPlan(
    deps.pool,
    async () => {
      const hours = await listKeptHours(deps.pool, { ...window, afterOrdinal: 0 });
      return { hours: hours.filter(({ hourMs }) => hourMs <= window.asOfMs) };
    },
    async ({ hours }) => {
      const planned: PlannedHour[] = [];
      for (const hour of hours) {
        const days = counted ? await countByDay(deps, window, hour) : [];
        if (!counted || days.length > 0) planned.push({ hour, days });
      }
      return planned;
    },
  );
}
