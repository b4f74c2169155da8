import type { Fault } from '@market-state/errors';
import { type Channel, type ChannelDay as DayFacts, dayCondition, gapsOfDay, observedMs, HOUR_MS, DAY_MS } from '@market-state/market-data';
import type { SpanDeps } from '../archive/read-span';
import type { VenueView } from '../market/venues';
import type { GapRow } from '../recorder/gap-ledger';
import { type ChannelHour, listStoredHours } from '../store/channel-hours';
import { DAY_GAPS_MAX, listGapRows } from '../store/gaps';
import type { Recorded } from '../store/recorded';
import type { Retention } from '../store/retention';
import { expectedRows } from '../store/window-reader';
import { keptFromMs } from './window';

export const DAY_CHANNELS: readonly string[] = ['book', 'trades', 'context', 'liquidations'];
export const DAYS_MAX = 31;

/** First and last UTC day of a request, each as its start. */
export interface DaySpan {
  readonly firstDayMs: number;
  readonly lastDayMs: number;
}

export function daySpanFaults({ firstDayMs, lastDayMs }: DaySpan): Fault[] {
  if (lastDayMs - firstDayMs < DAYS_MAX * DAY_MS) return [];
  return [{ field: 'from_ms', message: `must lie within the ${DAYS_MAX} UTC days up to the end of the span`, type: 'out_of_range' }];
}

export interface DaysWanted {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
  readonly toOrdinal: number;
}

interface ChannelRetained {
  readonly channel: Channel;
  readonly isReported: boolean;
  readonly keptFromMs: number;
  /** Start of the rows left by retention; 0 if nothing was dropped yet. */
  readonly retainedFromMs: number;
}

export function keptChannels(venue: VenueView, channels: readonly Channel[], recorded: Recorded, retention: Retention): ChannelRetained[] {
  return channels.map((channel) => ({
    channel,
    isReported: venue.channels.includes(channel),
    keptFromMs: keptFromMs(recorded, retention, [channel]),
    retainedFromMs: retention.of(channel).archiveFromMs,
  }));
}

export interface ChannelDay {
  readonly channel: Channel;
  readonly dayMs: number;
  readonly condition: string;
  readonly reasons: readonly string[];
  /** An archived file is unreadable. */
  readonly rows: number | undefined;
  readonly observedMs: number;
  readonly elapsedMs: number;
  /** With actual or possible loss, oldest first. */
  readonly gapIds: readonly string[];
  /** Last change of this result; undefined if rows of the day are past retention. */
  readonly lastModifiedMs: number | undefined;
}

/** Days started by the instant, oldest first, each with every channel in the given order. Rejects as `storeFailure`. */
export async function channelDays(deps: SpanDeps, wanted: DaysWanted, channels: readonly ChannelRetained[]): Promise<ChannelDay[]> {
  const { symbol, fromMs, toMs, asOfMs, toOrdinal } = wanted;
  const span = { symbol, channels: channels.map(({ channel }) => channel), afterOrdinal: 0, toOrdinal, startMs: fromMs, endMs: toMs };
  const hours = (await listStoredHours(deps.pool, span)).filter(({ hourMs }) => hourMs <= asOfMs);
  const days: ChannelDay[] = [];
  for (let dayMs = fromMs; dayMs < toMs && dayMs <= asOfMs; dayMs += DAY_MS) {
    const gaps = await listGapRows(deps.pool, { symbol, fromMs: dayMs, toMs: dayMs + DAY_MS, asOfMs, limit: DAY_GAPS_MAX });
    days.push(...(await Promise.all(channels.map((kept) => channelDay(deps, { ...wanted, ...kept, dayMs, gaps, hours })))));
  }
  return days;
}

interface OneDay extends DaysWanted, ChannelRetained {
  readonly dayMs: number;
  readonly gaps: readonly GapRow[];
  readonly hours: readonly ChannelHour[];
}

async function channelDay(deps: SpanDeps, day: OneDay): Promise<ChannelDay> {
  const { symbol, channel, dayMs, asOfMs, toOrdinal, keptFromMs, isReported } = day;
  const [startMs, endMs] = [dayMs, dayMs + DAY_MS];
  const expected = await expectedRows(deps, { symbol, channels: [channel], startMs, endMs, asOfMs, toOrdinal });
  const isReadable = expected.reasons.length === 0;
  const gaps = day.gaps.filter((gap) => gap.channel === undefined || gap.channel === channel);
  const facts: DayFacts = {
    fromMs: startMs,
    toMs: endMs,
    keptFromMs,
    rows: expected.rows,
    isReadable,
    gaps,
    isFinished: asOfMs >= endMs,
    isReported,
  };
  const elapsed = { ...facts, toMs: Math.min(endMs, asOfMs + 1) };
  return {
    channel,
    dayMs,
    ...dayCondition(facts),
    rows: isReadable ? expected.rows : undefined,
    observedMs: observedMs(elapsed),
    elapsedMs: elapsed.toMs - startMs,
    gapIds: gapsOfDay({ ...elapsed, gaps }).map(({ gapId }) => gapId),
    lastModifiedMs: day.retainedFromMs > startMs ? undefined : lastModifiedMs({ ...day, gaps }),
  };
}

/**
 * The current day changes constantly; a past day changes when a row arrives late (known by the hour of receipt) or one
 * of its gaps is updated.
 */
function lastModifiedMs({ channel, dayMs, asOfMs, gaps, hours }: OneDay): number {
  const endMs = dayMs + DAY_MS;
  if (asOfMs < endMs) return asOfMs;
  const received = hours
    .filter((hour) => hour.channel === channel && hour.minExchangeMs < endMs && hour.maxExchangeMs >= dayMs)
    .map(({ hourMs }) => Math.min(asOfMs, hourMs + HOUR_MS));
  return Math.max(endMs, ...gaps.map(({ reportedAtMs }) => reportedAtMs), ...received);
}
