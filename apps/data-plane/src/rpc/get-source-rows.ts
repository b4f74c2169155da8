import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { WINDOW_MS, type Channel } from '@market-state/market-data';
import { instantFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { toDataRow } from '../window/sent-rows';
import { fromPublicChannels } from '../window/public-channels';
import { type RpcDeps, refuseUnserved } from './deps';
import { byPlan } from '../archive/read-span';
import { planHours } from '../store/channel-hours';
import { type Recorded, readRecorded } from '../store/recorded';
import { readRetention, type Retention } from '../store/retention';
import {
  NO_SOURCE_ROWS,
  readHotSourceRows,
  type SourceRows,
  sourceRowsOf,
  type SourceWindow,
  type StoredRow,
} from '../store/window-reader';
import { isKept, settledInstant, WINDOW_START } from '../window/window';
import { storedRows, type WindowDeps } from '../window/window-rows';

const LENGTH_MS_MAX = 3_600_000;

const ROWS_MAX = 20;

const SPANS_MAX = 4;

export async function getSourceRows(
  deps: RpcDeps,
  request: marketData.GetSourceRowsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<marketData.GetSourceRowsResponse> {
  const { symbol, windowEndMs, asOfMs, spans } = request;
  refuseFaults(
    symbolFaults(symbol),
    instantFaults('window_end_ms', windowEndMs),
    instantFaults('as_of_ms', asOfMs),
    rangeFaults('spans', spans.length, 1, SPANS_MAX),
    spans.flatMap(spanFaults),
    channelFaults(spans.map(({ channel }) => channel)),
  );
  refuseUnserved(deps, symbol);
  const { epoch = 0, ordinal = 0 } = request.closedBy ?? {};
  const wanted = spans.flatMap(({ channel: name, lengthMs, rowLimit }) =>
    fromPublicChannels([name]).map((channel) => ({ channel, startMs: windowEndMs - lengthMs + 1, rowLimit })),
  );
  const found = await readSourceRows(
    deps,
    { symbol, endMs: windowEndMs + 1, asOfMs, closedBy: { epoch, ordinal }, ownAfterMs: windowEndMs - WINDOW_MS, spans: wanted },
    signal,
  );
  return {
    channels: found.map(({ rows, ...totals }, index) => ({ channel: spans[index]?.channel ?? '', ...totals, rows: rows.map(toDataRow) })),
  };
}

function spanFaults({ lengthMs, rowLimit }: marketData.SourceSpan, index: number): Fault[] {
  return [
    ...rangeFaults(`spans[${index}].length_ms`, lengthMs, WINDOW_MS, LENGTH_MS_MAX),
    ...rangeFaults(`spans[${index}].row_limit`, rowLimit, 1, ROWS_MAX),
  ];
}

function channelFaults(names: readonly string[]): Fault[] {
  const known = names.every((name) => name !== 'control' && fromPublicChannels([name]).length === 1);
  if (known && new Set(names).size === names.length) return [];
  return [
    {
      field: 'spans',
      message: 'must each have a different channel out of book, trades, context, liquidations',
      type: 'unknown_value',
    },
  ];
}

interface SourceSpan extends Pick<SourceWindow, 'startMs' | 'rowLimit'> {
  readonly channel: Channel;
}

interface SourceRequest extends Pick<SourceWindow, 'symbol' | 'endMs' | 'asOfMs' | 'closedBy' | 'ownAfterMs'> {
  readonly spans: readonly SourceSpan[];
}

/**
 * Empty for channels past retention or with an unreadable archive. `as of` is clamped as for windows. Rejects as
 * `storeFailure`.
 */
export async function readSourceRows(deps: WindowDeps, request: SourceRequest, signal: AbortSignal): Promise<SourceRows[]> {
  const { pool } = deps;
  const [recorded, retention] = await Promise.all([readRecorded(pool, request.symbol), readRetention(pool)]);
  const windows = windowsOf(request, recorded, retention);
  const kept = windows.flatMap(({ window }) => (window === undefined ? [] : [window]));
  if (kept.length === 0) return windows.map(() => NO_SOURCE_ROWS);
  const span = {
    symbol: request.symbol,
    channels: kept.flatMap(({ channels }) => channels),
    startMs: Math.min(...kept.map(({ startMs }) => startMs)),
    endMs: request.endMs,
    afterOrdinal: 0,
    toOrdinal: recorded.ordinal,
  };
  return byPlan(
    pool,
    () => planHours(pool, span),
    ({ hours, isWhole }) =>
      Promise.all(
        windows.map(({ channel, window }) => {
          if (window === undefined) return NO_SOURCE_ROWS;
          const own = hours.filter((hour) => hour.channel === channel && hour.maxExchangeMs >= window.startMs);
          if (!isWhole || own.some(({ file }) => file !== undefined)) return readAll(deps, window, signal);
          return own.length === 0 ? NO_SOURCE_ROWS : readHotSourceRows(pool, window, own);
        }),
      ),
  );
}

/** Window per channel; undefined if nothing is retained. */
function windowsOf({ spans, ...request }: SourceRequest, recorded: Recorded, retention: Retention) {
  const asOfMs = settledInstant(recorded, request.asOfMs);
  return spans.map(({ channel, ...span }): { readonly channel: Channel; readonly window: SourceWindow | undefined } => {
    const window = { ...request, ...span, asOfMs, toOrdinal: recorded.ordinal, channels: [channel] };
    return { channel, window: isKept(request.endMs, recorded, retention, [channel]) ? window : undefined };
  });
}

/** For rows that are not all hot. */
async function readAll(deps: WindowDeps, window: SourceWindow, signal: AbortSignal): Promise<SourceRows> {
  const rows: StoredRow[] = [];
  const shortfalls = { packetsUnreachable: false, archiveUnreadable: false };
  for await (const row of storedRows(deps, window, window.channels, WINDOW_START, shortfalls, signal)) rows.push(row);
  signal.throwIfAborted();
  return sourceRowsOf(window, rows);
}
