import { DAY_MS, MINUTE_MS, minuteOf, monthOf, monthsOf } from '@market-state/service-figures';

export interface ReadDay {
  readonly dayMs: number;
  /** Minutes with counts from at least one gateway. */
  readonly minutes: number;
  readonly answered: number;
  readonly failed: number;
}

export interface ReadMonth {
  readonly monthMs: number;
  readonly answeredTotal: number;
  readonly failedTotal: number;
  readonly minutesWithoutFigures: number;
}

/**
 * Months of [fromMs, toMs) with counts, in whole minutes, oldest first.
 * @param sinceMs start of counting; null: not counted
 */
export function readMonths(fromMs: number, toMs: number, days: readonly ReadDay[], sinceMs: number | null): ReadMonth[] {
  if (sinceMs === null) return [];
  return monthsOf(fromMs, toMs).flatMap((monthMs, index, months) => {
    const endMs = Math.min(months[index + 1] ?? toMs, toMs);
    const startMs = Math.max(monthMs, minuteOf(sinceMs));
    if (startMs >= endMs) return [];
    const own = days.filter(({ dayMs }) => monthOf(dayMs) === monthMs && dayMs > startMs - DAY_MS);
    const sum = (of: (day: ReadDay) => number): number => own.reduce((total, day) => total + of(day), 0);
    return [
      {
        monthMs,
        answeredTotal: sum(({ answered }) => answered),
        failedTotal: sum(({ failed }) => failed),
        minutesWithoutFigures: Math.max(0, (endMs - startMs) / MINUTE_MS - sum(({ minutes }) => minutes)),
      },
    ];
  });
}
