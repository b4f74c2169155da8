import type { marketData } from '@market-state/contracts';
import { type PlannedHour, planSpan as planHoursOf } from '../archive/plan-span';
import type { RpcDeps } from './deps';
import { openStoredSpan } from './stored-span';
import { toProtoSourceKind } from '@market-state/live-market';

/** Which hours have the rows of a span of one channel. */
export async function planSpan(deps: RpcDeps, request: marketData.PlanSpanRequest): Promise<marketData.PlanSpanResponse> {
  const { channel, window, keptFromMs } = await openStoredSpan(deps, request);
  const hours = await planHoursOf(deps, window, request.countRows);
  const venue = deps.venues.of(request.symbol);
  return {
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    asOfMs: window.asOfMs,
    toOrdinal: window.toOrdinal,
    keptFromMs,
    reported: channel === 'control' || venue.channels.includes(channel),
    hours: hours.map(toProtoHour),
  };
}

function toProtoHour({ hour, days }: PlannedHour): marketData.PlannedHour {
  const { hourMs, firstOrdinal, lastOrdinal, rowTotal, minExchangeMs, maxExchangeMs, archived } = hour;
  return {
    hourMs,
    firstOrdinal,
    lastOrdinal,
    rowTotal,
    minExchangeMs,
    maxExchangeMs,
    file: archived === undefined ? undefined : { objectKey: archived.key, sha256: archived.sha256, bytes: archived.bytes },
    days: [...days],
  };
}
