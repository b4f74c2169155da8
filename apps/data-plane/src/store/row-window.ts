import type { Filter } from '@market-state/archive';
import { type Channel, ROW_FLAG, HOUR_MS } from '@market-state/market-data';
import type { LogSegment } from '../archive/read-span';
import type { ChannelHour } from './channel-hours';

export interface RowWindow {
  readonly symbol: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly channels: readonly Channel[];
  /** Excludes rows received later. */
  readonly asOfMs: number;
  readonly toOrdinal: number;
}

export interface WindowPart extends RowWindow {
  readonly afterOrdinal: number;
  readonly limit: number;
}

/**
 * SQL filter over `log_entry`; parameters from `valuesOf`. With `flags & 32 = 0` the planner expects few rows and sorts
 * a whole day per page; with `<> 32` it uses the index.
 */
export const WINDOW = `symbol = $1 AND channel = ANY($2) AND exchange_ts_ms >= $3 AND exchange_ts_ms < $4 AND received_ts_ms <= $5
  AND ordinal > $6 AND ordinal <= $7 AND flags & ${ROW_FLAG.duplicate} <> ${ROW_FLAG.duplicate}`;

export function valuesOf({ symbol, startMs, endMs, asOfMs }: RowWindow, { channels, afterOrdinal, toOrdinal }: LogSegment): unknown[] {
  return [symbol, channels, startMs, endMs, asOfMs, afterOrdinal, toOrdinal];
}

export function filtersOf({ startMs, endMs, asOfMs }: RowWindow, { afterOrdinal, toOrdinal }: LogSegment): Filter[] {
  return [
    { column: 'ordinal', from: afterOrdinal + 1, to: toOrdinal + 1 },
    { column: 'exchange_ts_ms', from: startMs, to: endMs },
    { column: 'received_ts_ms', to: Math.min(asOfMs, Number.MAX_SAFE_INTEGER - 1) + 1 },
    { column: 'flags', withoutBits: ROW_FLAG.duplicate },
  ];
}

/** If so, the hour's stored count applies. */
export function liesWholeIn({ startMs, endMs, toOrdinal, asOfMs }: RowWindow, hour: ChannelHour): boolean {
  return hour.minExchangeMs >= startMs && hour.maxExchangeMs < endMs && hour.lastOrdinal <= toOrdinal && hour.hourMs + HOUR_MS <= asOfMs;
}

export function logSegmentOf({ toOrdinal }: RowWindow, hour: ChannelHour): LogSegment {
  return {
    channels: [hour.channel],
    afterOrdinal: hour.firstOrdinal - 1,
    toOrdinal: Math.min(hour.lastOrdinal, toOrdinal),
    limit: 0,
  };
}
