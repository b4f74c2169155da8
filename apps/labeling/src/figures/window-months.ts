import { MINUTE_MS, minuteOf, monthOf, monthsOf, WINDOW_MS } from '@market-state/service-figures';
import type { DayTotals, FigureSpan } from './figure-store';

/** Windows of one UTC month. */
export interface WindowMonth {
  readonly monthMs: number;
  readonly dueTotal: number;
  readonly inTimeTotal: number;
  /** Windows of minutes without figures, which are due and not in time. */
  readonly withoutFiguresTotal: number;
}

/** The months of a span in which any of its symbols is counted, oldest first. Windows are due from the first packet in time on. */
export function windowMonths(
  { symbols, fromMs, toMs }: FigureSpan,
  days: readonly DayTotals[],
  since: ReadonlyMap<string, number>,
): WindowMonth[] {
  return monthsOf(fromMs, toMs).flatMap((monthMs, index, months) => {
    const endMs = Math.min(months[index + 1] ?? toMs, toMs);
    const counted = symbols.flatMap((symbol) => {
      const sinceMs = since.get(symbol) ?? Infinity;
      return sinceMs < endMs ? [{ symbol, startMs: Math.max(monthMs, sinceMs) }] : [];
    });
    if (counted.length === 0) return [];
    const own = days.filter((day) => monthOf(day.dayMs) === monthMs && counted.some(({ symbol }) => symbol === day.symbol));
    const sum = (of: (day: DayTotals) => number): number => own.reduce((total, day) => total + of(day), 0);
    const minutes = counted.reduce((total, { startMs }) => total + (endMs - minuteOf(startMs)) / MINUTE_MS, 0);
    return [
      {
        monthMs,
        dueTotal: counted.reduce((total, { startMs }) => total + Math.floor((endMs - startMs) / WINDOW_MS), 0),
        inTimeTotal: sum(({ inTime }) => inTime),
        withoutFiguresTotal: (minutes - sum((day) => day.minutes)) * (MINUTE_MS / WINDOW_MS),
      },
    ];
  });
}
