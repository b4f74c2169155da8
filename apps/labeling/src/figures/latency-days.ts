import { addCounts, DAY_MS, dayOf, latencyQuantileMs, MINUTE_MS, minuteOf, totalOf } from '@market-state/service-figures';
import type { DayFigures, FigureSpan } from './figure-store';

/** How long packets took on one part of their way. */
export interface LatencyStage {
  readonly packetTotal: number;
  /** Upper bounds of the buckets in which the quantiles lie; undefined of no packet. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Of the symbol that lacks most. */
  readonly minutesWithoutFigures: number;
}

export interface LatencyDay {
  readonly dayMs: number;
  readonly closingTickToPacket: LatencyStage;
  readonly packetToGateway: LatencyStage;
  readonly closingTickToGateway: LatencyStage;
  readonly remadeTotal: number;
}

/** The days of a span on which any of its symbols is counted, oldest first: the figures of all of its symbols together. */
export function latencyDays(
  { symbols, fromMs, toMs }: FigureSpan,
  figures: readonly DayFigures[],
  since: ReadonlyMap<string, number>,
): LatencyDay[] {
  const days: LatencyDay[] = [];
  for (let dayMs = dayOf(fromMs); dayMs < toMs; dayMs += DAY_MS) {
    const counted = symbols.filter((symbol) => (since.get(symbol) ?? Infinity) < Math.min(toMs, dayMs + DAY_MS));
    if (counted.length > 0) days.push(latencyDay(dayMs, counted, { figures, since, toMs }));
  }
  return days;
}

interface DayFacts {
  readonly figures: readonly DayFigures[];
  readonly since: ReadonlyMap<string, number>;
  readonly toMs: number;
}

function latencyDay(dayMs: number, symbols: readonly string[], { figures, since, toMs }: DayFacts): LatencyDay {
  const own = figures.filter((each) => each.dayMs === dayMs && symbols.includes(each.symbol));
  const stage = (countsOf: (day: DayFigures) => readonly number[], minutesOf: (day: DayFigures) => number): LatencyStage => {
    const counts = own.map(countsOf).reduce(addCounts, []);
    const lacking = symbols.map((symbol) => {
      const day = own.find((each) => each.symbol === symbol);
      const fromMs = Math.max(dayMs, minuteOf(since.get(symbol) ?? 0));
      return Math.max(0, (Math.min(dayMs + DAY_MS, toMs) - fromMs) / MINUTE_MS - (day === undefined ? 0 : minutesOf(day)));
    });
    return {
      packetTotal: totalOf(counts),
      p50Ms: latencyQuantileMs(counts, 0.5) ?? undefined,
      p99Ms: latencyQuantileMs(counts, 0.99) ?? undefined,
      minutesWithoutFigures: Math.max(...lacking),
    };
  };
  return {
    dayMs,
    closingTickToPacket: stage(
      (day) => day.closingTickToPacket,
      (day) => day.minutes,
    ),
    packetToGateway: stage(
      (day) => day.packetToGateway,
      (day) => day.gatewayMinutes,
    ),
    closingTickToGateway: stage(
      (day) => day.closingTickToGateway,
      (day) => day.gatewayMinutes,
    ),
    remadeTotal: own.reduce((sum, { remade }) => sum + remade, 0),
  };
}
