import type { Channel } from '@market-state/market-data';
import { byPlan } from '../archive/read-span';
import { planHours } from '../store/channel-hours';
import { type Recorded, readRecorded } from '../store/recorded';
import { readRetention, type Retention } from '../store/retention';
import { NO_SOURCE_ROWS, readHotSourceRows, type SourceRows, sourceRowsOf, type SourceWindow } from '../store/source-rows';
import type { StoredRow } from '../store/window-reader';
import { isKept, settledInstant } from './kept-from';
import { WINDOW_START } from './window';
import { storedRows, type WindowDeps } from './window-rows';

/** The rows of one channel that a packet read. */
export interface SourceSpan extends Pick<SourceWindow, 'startMs' | 'rowLimit'> {
  readonly channel: Channel;
}

/** The rows that a packet read; spans of its channels end where its window does. */
export interface SourceRequest extends Pick<SourceWindow, 'symbol' | 'endMs' | 'asOfMs' | 'closedBy' | 'ownAfterMs'> {
  readonly spans: readonly SourceSpan[];
}

/**
 * What is kept of the rows that a packet was made of, in the order of the spans: nothing of a channel whose rows of that time are no longer
 * kept or whose archive can't be read. `as of` is cut as in windows. Rejects as `storeFailure` says.
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

/** What is read of each channel; undefined where nothing is kept of it. */
function windowsOf({ spans, ...request }: SourceRequest, recorded: Recorded, retention: Retention) {
  const asOfMs = settledInstant(recorded, request.asOfMs);
  return spans.map(({ channel, ...span }): { readonly channel: Channel; readonly window: SourceWindow | undefined } => {
    const window = { ...request, ...span, asOfMs, toOrdinal: recorded.ordinal, channels: [channel] };
    return { channel, window: isKept(request.endMs, recorded, retention, [channel]) ? window : undefined };
  });
}

/** Of rows that are not all hot. */
async function readAll(deps: WindowDeps, window: SourceWindow, signal: AbortSignal): Promise<SourceRows> {
  const rows: StoredRow[] = [];
  const shortfalls = { packetsUnreachable: false, archiveUnreadable: false };
  for await (const row of storedRows(deps, window, window.channels, WINDOW_START, shortfalls, signal)) rows.push(row);
  signal.throwIfAborted();
  return sourceRowsOf(window, rows);
}
