import type { labeling } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { idFaults, rangeFaults, refuseFaults, symbolFaults, optionalSpanFaults } from '@market-state/request-checks';
import {
  LATENCY_BOUNDS_MS,
  minuteOf,
  countedMinutes,
  MINUTE_MS,
  monthOf,
  monthsOf,
  WINDOW_MS,
  FIGURES_KEPT_MS,
  incidentPage,
  lateIncidents,
  settledToMs,
  DAY_MS,
  dayOf,
  addCounts,
  latencyQuantileMs,
  totalOf,
} from '@market-state/service-figures';
import type { StatisticsStore, DayTotals, ChartSpan, DayStatistics } from '../packets/packet-statistics';
import { assertServed } from './span-request';

interface LatencyStage {
  readonly packetTotal: number;
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Maximum over the symbols. */
  readonly minutesWithoutFigures: number;
}

interface LatencyDay {
  readonly dayMs: number;
  readonly closingTickToPacket: LatencyStage;
  readonly packetToGateway: LatencyStage;
  readonly closingTickToGateway: LatencyStage;
  readonly remadeTotal: number;
}

function latencyDays(
  { symbols, fromMs, toMs }: ChartSpan,
  figures: readonly DayStatistics[],
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
  readonly figures: readonly DayStatistics[];
  readonly since: ReadonlyMap<string, number>;
  readonly toMs: number;
}

function latencyDay(dayMs: number, symbols: readonly string[], { figures, since, toMs }: DayFacts): LatencyDay {
  const own = figures.filter((each) => each.dayMs === dayMs && symbols.includes(each.symbol));
  const stage = (countsOf: (day: DayStatistics) => readonly number[], minutesOf: (day: DayStatistics) => number): LatencyStage => {
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

interface StatisticsRpcDeps {
  readonly figures: StatisticsStore;
  readonly symbols: readonly string[];
  readonly clock: () => number;
}

interface StatisticsRequest {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Requested statistics up to the newest evaluated minute, and the start of counting by symbol.
 * @throws ServiceError INVALID_ARGUMENT, including the faults of `spanFaults`; NOT_FOUND for a symbol that is not
 * served
 */
async function readStatisticsRequest(
  { figures, symbols: served, clock }: StatisticsRpcDeps,
  { symbol, fromMs, toMs }: StatisticsRequest,
  spanFaults: Fault[],
): Promise<{ readonly span: ChartSpan; readonly since: ReadonlyMap<string, number>; readonly settledToMs: number }> {
  refuseFaults(symbol === '' ? [] : symbolFaults(symbol), optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]), spanFaults);
  if (symbol !== '') assertServed([symbol], served);
  const settledMs = settledToMs(clock());
  const symbols = symbol === '' ? served : [symbol];
  const span = { symbols, fromMs: minuteOf(fromMs), toMs: minuteOf(Math.min(settledMs, toMs)) };
  return { span, since: await figures.countedSince(), settledToMs: settledMs };
}

function countedFromMs(symbols: readonly string[], since: ReadonlyMap<string, number>): number {
  const first = Math.min(...symbols.map((symbol) => since.get(symbol) ?? Infinity));
  return first === Infinity ? 0 : first;
}

const DAYS_MAX = 31;

export async function listLatencyDays(
  deps: StatisticsRpcDeps,
  request: labeling.ListLatencyDaysRequest,
): Promise<labeling.ListLatencyDaysResponse> {
  const days = (dayOf(request.toMs - 1) - dayOf(request.fromMs)) / DAY_MS + 1;
  const { span, since, settledToMs } = await readStatisticsRequest(deps, request, rangeFaults('days', days, 1, DAYS_MAX));
  const whole = { ...span, fromMs: dayOf(span.fromMs) };
  const found = latencyDays(whole, await deps.figures.days(whole), since);
  return {
    days: found.map(({ closingTickToPacket, packetToGateway, closingTickToGateway, ...day }) => ({
      ...day,
      closingTickToPacket: toProtoStage(closingTickToPacket),
      packetToGateway: toProtoStage(packetToGateway),
      closingTickToGateway: toProtoStage(closingTickToGateway),
    })),
    settledToMs,
    countedFromMs: countedFromMs(span.symbols, since),
  };
}

function toProtoStage(stage: LatencyStage): labeling.LatencyStage {
  return { ...stage };
}

/** Always evaluates all served symbols, because an incident names all it affects. */
export async function listIncidents(
  { figures, symbols, clock }: StatisticsRpcDeps,
  { filter }: labeling.ListIncidentsRequest,
): Promise<labeling.ListIncidentsResponse> {
  const nowMs = clock();
  const { wanted, faults } = fromIncidentFilter(filter, nowMs);
  refuseFaults(faults);
  if (wanted.symbol !== null) assertServed([wanted.symbol], symbols);
  const since = await figures.countedSince();
  const toMs = settledToMs(nowMs);
  const { minutes, unknown } = await figures.late({ symbols, fromMs: minuteOf(nowMs - FIGURES_KEPT_MS), toMs }, since);
  return { incidents: incidentPage(lateIncidents(minutes, unknown, toMs), wanted).map(toProtoIncident) };
}

const MONTHS_MAX = 24;

export async function listWindowMonths(
  deps: StatisticsRpcDeps,
  request: labeling.ListWindowMonthsRequest,
): Promise<labeling.ListWindowMonthsResponse> {
  const faults = rangeFaults('months', monthsOf(request.fromMs, request.toMs).length, 1, MONTHS_MAX);
  const { span, since, settledToMs } = await readStatisticsRequest(deps, request, faults);
  const whole = { ...span, fromMs: monthOf(span.fromMs) };
  const months = windowMonths(whole, await deps.figures.totals(whole), since);
  return { months: months.map((month) => ({ ...month })), settledToMs, countedFromMs: countedFromMs(span.symbols, since) };
}

interface WindowMonth {
  readonly monthMs: number;
  readonly dueTotal: number;
  readonly inTimeTotal: number;
  readonly withoutFiguresTotal: number;
}

/** Oldest first. Windows are due from the first packet in time. */
function windowMonths({ symbols, fromMs, toMs }: ChartSpan, days: readonly DayTotals[], since: ReadonlyMap<string, number>): WindowMonth[] {
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

const MINUTES_MAX = 10_000;
const COUNTER_ID_LENGTH_MAX = 64;

interface RecordGatewayMinutesDeps {
  readonly figures: Pick<StatisticsStore, 'writeGatewayMinutes'>;
  readonly symbols: readonly string[];
  readonly clock: () => number;
}

/** Minutes of symbols that are not served are dropped: a gateway may still send those of a removed symbol. */
export async function recordGatewayMinutes(
  { figures, symbols, clock }: RecordGatewayMinutesDeps,
  { counterId, minutes }: labeling.RecordGatewayMinutesRequest,
): Promise<labeling.RecordGatewayMinutesResponse> {
  const nowMs = clock();
  refuseFaults(
    idFaults('counter_id', counterId, COUNTER_ID_LENGTH_MAX),
    rangeFaults('minutes', minutes.length, 0, MINUTES_MAX),
    minutes.slice(0, MINUTES_MAX).flatMap((minute, index) => minuteFaults(minute, `minutes.${index}`, nowMs)),
  );
  const served = minutes.filter(({ symbol }) => symbols.includes(symbol));
  await figures.writeGatewayMinutes(served.map((minute) => ({ ...minute, counterId })));
  return {};
}

function minuteFaults(minute: labeling.GatewayMinute, place: string, nowMs: number): Fault[] {
  const { symbol, minuteMs, packetToGateway, closingTickToGateway } = minute;
  const { fromMs, toMs } = countedMinutes(nowMs);
  return [
    ...symbolFaults(symbol, `${place}.symbol`),
    ...rangeFaults(`${place}.minute_ms`, minuteMs, fromMs, toMs),
    ...(minuteMs === minuteOf(minuteMs)
      ? []
      : [{ field: `${place}.minute_ms`, message: 'must be the start of a minute', type: 'malformed' }]),
    ...rangeFaults(`${place}.packet_to_gateway`, packetToGateway.length, 0, LATENCY_BOUNDS_MS.length),
    ...rangeFaults(`${place}.closing_tick_to_gateway`, closingTickToGateway.length, 0, LATENCY_BOUNDS_MS.length),
  ];
}
