import { marketData } from '@market-state/contracts';
import { isLogDataset, type LogDataset } from '@market-state/export-schema';
import type { ExportSpec, JobSymbol, SourceHour } from '../jobs/job';
import { sourceKindName } from '../rpc/wire';
import type { Upstreams } from '../upstreams';

const DAY_MS = 86_400_000;

const CHANNELS: Readonly<Record<LogDataset, marketData.Channel>> = {
  book: marketData.Channel.BOOK,
  trades: marketData.Channel.TRADE,
  context: marketData.Channel.CONTEXT,
  liquidations: marketData.Channel.LIQUIDATION,
};

export function channelOf(dataset: LogDataset): marketData.Channel {
  return CHANNELS[dataset];
}

export interface PlannedDay {
  readonly dayMs: number;
  /** Or their maximum. */
  readonly rows: number;
  /** Counted, or in proportion to the time of its hours within the period. */
  readonly expectedRows: number;
  readonly hours: readonly SourceHour[];
}

export interface PlannedSymbol extends JobSymbol {
  readonly days: readonly PlannedDay[];
  readonly rowsMin: number;
  readonly toOrdinal: number;
}

export function expectedRowTotal({ days }: PlannedSymbol): number {
  return days.reduce((sum, { expectedRows }) => sum + expectedRows, 0);
}

type Planners = Pick<Upstreams, 'marketData' | 'labeling'>;

const HOUR_MS = 3_600_000;
/** Rows of longer spans are counted only for exact plans: reading up to two files a day takes time. */
const COUNTED_MS_MAX = DAY_MS;

/**
 * Rows in hours that are partly in the period: `whole` takes their hours in full, `expected` counts them for file sizes
 * only, `exact` for everything.
 */
export type Counting = 'whole' | 'expected' | 'exact';

/** An hour's time and rows within the period, in proportion. */
export function hourWithin(
  { fromMs, toMs, asOfMs }: ExportSpec,
  { hourMs, rows }: SourceHour,
): { readonly fromMs: number; readonly toMs: number; readonly rows: number } {
  const hourEndMs = Math.min(hourMs + HOUR_MS, asOfMs + 1);
  const within = { fromMs: Math.max(fromMs, hourMs), toMs: Math.min(toMs, hourEndMs) };
  return { ...within, rows: rows * Math.max(0, (within.toMs - within.fromMs) / (hourEndMs - hourMs)) };
}

/** @throws ServiceError as PlanSpan and PlanPacketSpan */
export function planSymbol(upstreams: Planners, spec: ExportSpec, symbol: string, counting: Counting): Promise<PlannedSymbol> {
  if (isLogDataset(spec.dataset)) return planLog(upstreams, spec, symbol, CHANNELS[spec.dataset], counting);
  return spec.dataset === 'candles' ? planCandles(upstreams, spec, symbol) : planPackets(upstreams, spec, symbol);
}

async function planLog(
  upstreams: Planners,
  spec: ExportSpec,
  symbol: string,
  channel: marketData.Channel,
  counting: Counting,
): Promise<PlannedSymbol> {
  const plan = (isExact: boolean): Promise<PlannedSymbol> => planRows(upstreams, spec, symbol, channel, isExact);
  if (counting !== 'expected' || spec.toMs - spec.fromMs > COUNTED_MS_MAX) return plan(counting === 'exact');
  const [planned, counted] = await Promise.all([plan(false), plan(true)]);
  const share = rowsOf(counted.days) / Math.max(1, rowsOf(planned.days));
  return { ...planned, days: planned.days.map((day) => ({ ...day, expectedRows: day.rows * share })) };
}

async function planRows(
  { marketData: rows }: Planners,
  spec: ExportSpec,
  symbol: string,
  channel: marketData.Channel,
  isExact: boolean,
): Promise<PlannedSymbol> {
  const { fromMs, toMs, asOfMs } = spec;
  const plan = await rows.call.planSpan({ symbol, channel, startMs: fromMs, endMs: toMs, asOfMs, countRows: isExact });
  const days = new Map<number, SourceHour[]>();
  let rowsMin = 0;
  for (const hour of plan.hours) {
    const { hourMs, firstOrdinal, lastOrdinal, file } = hour;
    const isWhole = hour.minExchangeMs >= fromMs && hour.maxExchangeMs < toMs && lastOrdinal <= plan.toOrdinal;
    if (isWhole) rowsMin += hour.rowTotal;
    const source = {
      hourMs,
      firstOrdinal,
      lastOrdinal,
      ...(file === undefined ? {} : { file: { key: file.objectKey, sha256: file.sha256, bytes: file.bytes } }),
    };
    const counts = isExact ? hour.days : [{ dayMs: dayOf(Math.max(fromMs, hour.minExchangeMs)), rows: hour.rowTotal }];
    for (const { dayMs, rows: total } of counts) {
      if (total === 0) continue;
      const ofDay = days.get(dayMs) ?? [];
      ofDay.push({ ...source, rows: total });
      days.set(dayMs, ofDay);
    }
  }
  return {
    symbol,
    venue: plan.venue,
    sourceKind: sourceKindName(plan.sourceKind),
    keptFromMs: plan.keptFromMs,
    isReported: plan.reported,
    days: toDays(days, (hour) => (isExact ? hour.rows : hourWithin(spec, hour).rows)),
    rowsMin,
    toOrdinal: plan.toOrdinal,
  };
}

/** Every day from the first retained trade: from then on each interval has a candle. */
async function planCandles(upstreams: Planners, spec: ExportSpec, symbol: string): Promise<PlannedSymbol> {
  const trades = await planRows(upstreams, spec, symbol, marketData.Channel.TRADE, false);
  const fromMs = Math.max(spec.fromMs, Math.min(trades.keptFromMs, spec.toMs));
  const days: PlannedDay[] = [];
  for (let dayMs = dayOf(fromMs); dayMs < spec.toMs; dayMs += DAY_MS) {
    const rows = opensWithin(Math.max(dayMs, spec.fromMs), Math.min(dayMs + DAY_MS, spec.toMs), spec.intervalMs);
    if (rows > 0) days.push({ dayMs, rows, expectedRows: rows, hours: [] });
  }
  return { ...trades, days, rowsMin: rowsOf(days) };
}

async function planPackets(upstreams: Planners, spec: ExportSpec, symbol: string): Promise<PlannedSymbol> {
  const { fromMs, toMs, asOfMs } = spec;
  const [{ hours, keptFromMs }, { instruments }] = await Promise.all([
    upstreams.labeling.call.planPacketSpan({ symbol, fromWindowEndMs: fromMs, toWindowEndMs: toMs, asOfMs }),
    upstreams.marketData.call.listInstruments({}),
  ]);
  const instrument = instruments.find((known) => known.symbol === symbol);
  const days = new Map<number, SourceHour[]>();
  for (const { hourMs, rowTotal, file } of hours) {
    const ofDay = days.get(dayOf(hourMs)) ?? [];
    const source = file === undefined ? {} : { file: { key: file.objectKey, sha256: file.sha256, bytes: file.bytes } };
    ofDay.push({ hourMs, firstOrdinal: 0, lastOrdinal: 0, rows: rowTotal, ...source });
    days.set(dayOf(hourMs), ofDay);
  }
  const planned = toDays(days, (hour) => hour.rows);
  return {
    symbol,
    venue: instrument?.venue ?? '',
    sourceKind: instrument === undefined ? '' : sourceKindName(instrument.sourceKind),
    keptFromMs,
    isReported: true,
    days: planned,
    rowsMin: rowsOf(planned),
    toOrdinal: 0,
  };
}

function opensWithin(fromMs: number, toMs: number, intervalMs: number): number {
  return Math.max(0, Math.ceil(toMs / intervalMs) - Math.ceil(fromMs / intervalMs));
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

function toDays(days: ReadonlyMap<number, readonly SourceHour[]>, expectedRowsOf: (hour: SourceHour) => number): PlannedDay[] {
  return [...days]
    .sort(([one], [other]) => one - other)
    .map(([dayMs, hours]) => ({
      dayMs,
      hours,
      rows: rowsOf(hours),
      expectedRows: hours.reduce((sum, hour) => sum + expectedRowsOf(hour), 0),
    }));
}

function rowsOf(pieces: readonly { readonly rows: number }[]): number {
  return pieces.reduce((sum, { rows }) => sum + rows, 0);
}
