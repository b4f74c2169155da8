import type { marketData } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { fromProtoChannel, toProtoSource } from '@market-state/live-market';
import type { Channel } from '@market-state/market-data';
import { instantFaults, symbolFaults } from '@market-state/request-checks';
import { readRecorded } from '../store/recorded';
import { readRetention } from '../store/retention';
import type { RowWindow } from '../store/row-window';
import { keptFromMs, refuseBeyondRetention, settledInstant, spanFaults } from '../window/window';
import { type RpcDeps, refuseUnserved } from './deps';
import { type ChannelHour, listStoredHours } from '../store/channel-hours';
import { countByDay, type DayCount, type LogRow, readLogRows } from '../store/log-rows';
import { byPlan, type SpanDeps } from '../archive/read-span';
import { inMessages, PAGE_BYTES } from '../window/sent-rows';

export async function planSpan(deps: RpcDeps, request: marketData.PlanSpanRequest): Promise<marketData.PlanSpanResponse> {
  const { channel, window, keptFromMs } = await openStoredSpan(deps, request);
  const hours = await planStoredSpan(deps, window, request.countRows);
  const venue = deps.venues.of(request.symbol);
  return {
    ...toProtoSource(venue),
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

/** About 6 MB with the largest books. */
const CHUNK_ROWS = 2_000;
const MESSAGE = { itemsMax: 1_000, bytesMax: PAGE_BYTES };
const ROW_OVERHEAD_BYTES = 100;

function rowBytes({ payload }: LogRow): number {
  return payload.length + ROW_OVERHEAD_BYTES;
}

export async function* streamStoredRows(
  deps: RpcDeps,
  request: marketData.StreamStoredRowsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.StreamStoredRowsResponse> {
  const { window } = await openStoredSpan(deps, request, ordinalFaults(request));
  const toOrdinal = Math.min(window.toOrdinal, request.toOrdinal);
  const read = (afterOrdinal: number): Promise<LogRow[]> => readLogRows(deps, { ...window, toOrdinal, afterOrdinal, limit: CHUNK_ROWS });

  let reading: Promise<LogRow[]> | undefined = read(request.afterOrdinal);
  while (reading !== undefined && !signal.aborted) {
    const rows: LogRow[] = await reading;
    const last = rows.at(-1);
    reading = last === undefined || rows.length < CHUNK_ROWS ? undefined : read(last.ordinal);
    // Avoids an unhandled rejection if the consumer stops early.
    reading?.catch(() => undefined);
    for (const message of inMessages(rows, rowBytes, MESSAGE)) yield { rows: message };
  }
}

function ordinalFaults({ afterOrdinal, toOrdinal }: marketData.StreamStoredRowsRequest): Fault[] {
  return toOrdinal > afterOrdinal ? [] : [{ field: 'to_ordinal', message: 'must lie after after_ordinal', type: 'out_of_range' }];
}

interface PlannedHour {
  readonly hour: ChannelHour;
  readonly days: readonly DayCount[];
}

/**
 * With `counted`, only hours with rows.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` if counting needs a missing or damaged file; otherwise as
 * `storeFailure`
 */
export function planStoredSpan(deps: SpanDeps, window: RowWindow, counted: boolean): Promise<PlannedHour[]> {
  return byPlan(
    deps.pool,
    async () => {
      const hours = await listStoredHours(deps.pool, { ...window, afterOrdinal: 0 });
      return { hours: hours.filter(({ hourMs }) => hourMs <= window.asOfMs) };
    },
    async ({ hours }) => {
      const planned: PlannedHour[] = [];
      for (const hour of hours) {
        const days = counted ? await countByDay(deps, window, hour) : [];
        if (!counted || days.length > 0) planned.push({ hour, days });
      }
      return planned;
    },
  );
}

const SPAN_MS_MAX = 31 * 86_400_000;

type SpanRequest = Pick<marketData.PlanSpanRequest, 'symbol' | 'channel' | 'startMs' | 'endMs' | 'asOfMs'>;

interface StoredSpan {
  readonly channel: Channel;
  /** Settled as-of instant, up to the last recorded entry. */
  readonly window: RowWindow;
  /** Start of the channel's retained data, exchange time. */
  readonly keptFromMs: number;
}

/**
 * @param more faults of the request's other fields
 * @throws ServiceError INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION `beyond_retention`; otherwise as `storeFailure`
 */
async function openStoredSpan(deps: RpcDeps, request: SpanRequest, more: readonly Fault[] = []): Promise<StoredSpan> {
  const { symbol, startMs, endMs } = request;
  const channel = fromProtoChannel(request.channel);
  const faults = [
    ...symbolFaults(symbol),
    ...(channel === undefined ? [{ field: 'channel', message: 'must be a channel', type: 'unknown_value' }] : []),
    ...spanFaults(startMs, endMs, SPAN_MS_MAX),
    ...instantFaults('as_of_ms', request.asOfMs),
    ...more,
  ];
  if (faults.length > 0 || channel === undefined) throw invalidArgument(faults);
  refuseUnserved(deps, symbol);
  const [recorded, retention] = await Promise.all([readRecorded(deps.pool, symbol), readRetention(deps.pool)]);
  refuseBeyondRetention(request, recorded, retention, [channel]);
  const asOfMs = settledInstant(recorded, request.asOfMs);
  return {
    channel,
    window: { symbol, channels: [channel], startMs, endMs, asOfMs, toOrdinal: recorded.ordinal },
    keptFromMs: keptFromMs(recorded, retention, [channel]),
  };
}
