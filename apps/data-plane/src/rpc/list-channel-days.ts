import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { toProtoSource } from '@market-state/live-market';
import { instantFaults, optionalSpanFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { type RpcDeps, refuseUnserved } from './deps';
import { dayOf } from '../store/partitions';
import { readRecorded } from '../store/recorded';
import { readRetention } from '../store/retention';
import { type ChannelDay, channelDays, DAY_CHANNELS, DAYS_MAX, type DaySpan, daySpanFaults, keptChannels } from '../window/channel-days';
import { settledInstant } from '../window/window';
import { fromPublicChannels, toPublicChannel } from '../window/public-channels';
import { DAY_MS } from '@market-state/market-data';

const GAP_IDS_MAX = 100;

export async function listChannelDays(
  deps: RpcDeps,
  request: marketData.ListChannelDaysRequest,
): Promise<marketData.ListChannelDaysResponse> {
  const { symbol, channels } = request;
  refuseFaults(
    symbolFaults(symbol),
    dayChannelFaults(channels),
    instantFaults('as_of_ms', request.asOfMs),
    optionalSpanFaults(['from_ms', request.fromMs], ['to_ms', request.toMs]),
    request.toMs === 0 ? [] : daySpanFaults(daySpanOf(request, 0, 0)),
  );
  refuseUnserved(deps, symbol);
  const [recorded, retention] = await Promise.all([readRecorded(deps.pool, symbol), readRetention(deps.pool)]);
  const venue = deps.venues.of(symbol);
  const asOfMs = settledInstant(recorded, request.asOfMs);
  const kept = keptChannels(venue, fromPublicChannels(channels.length === 0 ? DAY_CHANNELS : channels), recorded, retention);
  const span = daySpanOf(request, asOfMs, recorded.fromMs ?? 0);
  refuseFaults(daySpanFaults(span));
  const wanted = { symbol, fromMs: span.firstDayMs, toMs: span.lastDayMs + DAY_MS, asOfMs, toOrdinal: recorded.ordinal };
  const days = asOfMs === 0 ? [] : await channelDays(deps, wanted, kept);
  return {
    symbol,
    ...toProtoSource(venue),
    asOfMs,
    days: kept.flatMap(({ channel }) => days.filter((day) => day.channel === channel)).map(toProtoDay),
  };
}

function dayChannelFaults(channels: readonly string[]): Fault[] {
  const isKnown = channels.every((channel) => DAY_CHANNELS.includes(channel)) && new Set(channels).size === channels.length;
  return isKnown
    ? []
    : [{ field: 'channels', message: `must contain only ${DAY_CHANNELS.join(', ')}, each at most once`, type: 'unknown_value' }];
}

/** Default end: the response time; default start: the first recorded day at the earliest. */
function daySpanOf({ fromMs, toMs }: marketData.ListChannelDaysRequest, asOfMs: number, firstMs: number): DaySpan {
  const lastDayMs = dayOf(toMs === 0 ? asOfMs : toMs - 1);
  return { firstDayMs: fromMs === 0 ? Math.max(dayOf(firstMs), lastDayMs - (DAYS_MAX - 1) * DAY_MS) : dayOf(fromMs), lastDayMs };
}

function toProtoDay(day: ChannelDay): marketData.ChannelDay {
  const { channel, dayMs, condition, reasons, rows, observedMs, elapsedMs, gapIds, lastModifiedMs = 0 } = day;
  return {
    channel: toPublicChannel(channel),
    dayMs,
    condition,
    reasons: [...reasons],
    rowTotal: rows,
    observedMs,
    elapsedMs,
    gapIds: gapIds.slice(0, GAP_IDS_MAX),
    gapTotal: gapIds.length,
    lastModifiedMs,
  };
}
