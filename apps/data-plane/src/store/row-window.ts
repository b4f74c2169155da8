import type { Filter } from '@market-state/archive';
import { type Channel, ROW_FLAG } from '@market-state/market-data';
import type { Stretch } from '../archive/read-span';
import type { ChannelHour } from './channel-hours';

/** Rows of one symbol, chosen by exchange time. */
export interface RowWindow {
  readonly symbol: string;
  /** Exchange time, inclusive. */
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  readonly channels: readonly Channel[];
  /** Only what was received by then. */
  readonly asOfMs: number;
  /** Inclusive. */
  readonly toOrdinal: number;
}

/** The part of a window that is read at once: up to `limit` rows after an ordinal. */
export interface WindowPart extends RowWindow {
  /** Exclusive. */
  readonly afterOrdinal: number;
  readonly limit: number;
}

/**
 * Rows of a window and a stretch of it, as SQL over `log_entry`; its values are `valuesOf`. With `flags & 32 = 0` the planner expects few
 * rows, and would sort a whole day for each page; with `<> 32` it expects most of them, as it is, and reads the page by the index.
 */
export const WINDOW = `symbol = $1 AND channel = ANY($2) AND exchange_ts_ms >= $3 AND exchange_ts_ms < $4 AND received_ts_ms <= $5
  AND ordinal > $6 AND ordinal <= $7 AND flags & ${ROW_FLAG.duplicate} <> ${ROW_FLAG.duplicate}`;

/** Values of `WINDOW`. */
export function valuesOf({ symbol, startMs, endMs, asOfMs }: RowWindow, { channels, afterOrdinal, toOrdinal }: Stretch): unknown[] {
  return [symbol, channels, startMs, endMs, asOfMs, afterOrdinal, toOrdinal];
}

/** The same rows of an archived file. */
export function filtersOf({ startMs, endMs, asOfMs }: RowWindow, { afterOrdinal, toOrdinal }: Stretch): Filter[] {
  return [
    { column: 'ordinal', from: afterOrdinal + 1, to: toOrdinal + 1 },
    { column: 'exchange_ts_ms', from: startMs, to: endMs },
    { column: 'received_ts_ms', to: Math.min(asOfMs, Number.MAX_SAFE_INTEGER - 1) + 1 },
    { column: 'flags', withoutBits: ROW_FLAG.duplicate },
  ];
}

const HOUR_MS = 3_600_000;

/** Whether every row of an hour is one of the window, so that the count made when they were written is theirs. */
export function liesWholeIn({ startMs, endMs, toOrdinal, asOfMs }: RowWindow, hour: ChannelHour): boolean {
  return hour.minExchangeMs >= startMs && hour.maxExchangeMs < endMs && hour.lastOrdinal <= toOrdinal && hour.hourMs + HOUR_MS <= asOfMs;
}

/** The part of the log that an hour of a window is, for counting. */
export function stretchOf({ toOrdinal }: RowWindow, hour: ChannelHour): Stretch {
  return {
    channels: [hour.channel],
    afterOrdinal: hour.firstOrdinal - 1,
    toOrdinal: Math.min(hour.lastOrdinal, toOrdinal),
    limit: 0,
  };
}
