import { holdFor } from '../call/budget';
import type { Settings } from '../call/settings';
import type { Send } from '../send';
import { createAllowance, type Following, followStream } from './follow';
import type { StreamId, StreamMessage, StreamOptions, StreamParamsOf, BackfillMessage, RowBackfillMessage } from './types';
import type { CallOptions, Schemas } from '../types';

/** Longest window of packets per request. */
const WINDOW_SECONDS_MAX = 86_400;
/** Longest window of rows. */
const WINDOW_MS_MAX = 3_600_000;
/** Rows of different channels can be out of time order by this much. */
const DISORDER_MS = 1_000;
const PAGE_ROWS = 100;

type Ask = Pick<Send, 'rows'>;
type Row = Schemas['DataRow'];

/** Up to a day, oldest first. Charged as pages of `replay`. */
async function* packetsBefore(
  ask: Ask,
  symbol: string,
  view: 'packet' | 'compact' | undefined,
  first: StreamMessage,
  options: CallOptions,
): AsyncGenerator<BackfillMessage, void, undefined> {
  const until = first.type === 'packet' ? first.data.event_id : undefined;
  const params = { symbol, limit: PAGE_ROWS, replay_window_seconds: WINDOW_SECONDS_MAX, ...(view === undefined ? {} : { view }) };
  for await (const row of ask.rows('replayPackets', params, options)) {
    if (row.event_id === until) return;
    yield { type: 'backfill', symbol, data: row };
  }
}

/** Up to an hour, in log order. Charged as pages of `replay/window`. */
async function* rowsBefore(
  ask: Ask,
  symbol: string,
  channels: string | undefined,
  first: StreamMessage,
  options: CallOptions,
): AsyncGenerator<RowBackfillMessage, void, undefined> {
  const until = first.type === 'row' ? first.data : first.type === 'conflated' ? first.data.rows[0] : undefined;
  if (until === undefined) return;
  const endMs = Date.parse(until.exchange_time_utc) + DISORDER_MS;
  const params = { symbol, start: String(endMs - WINDOW_MS_MAX), end: String(endMs), ...(channels === undefined ? {} : { channels }) };
  for await (const row of ask.rows('getReplayWindow', params, options))
    if (isBefore(row, until)) yield { type: 'backfill', symbol, data: row };
}

function isBefore(row: Row, other: Row): boolean {
  return row.epoch === other.epoch ? row.sequence < other.sequence : row.epoch < other.epoch;
}

const SILENCE_MS = 30_000;
const DEFAULT_SYMBOL = 'BTCUSD-PERP';

type AnyParams = StreamParamsOf['streamPackets'] & StreamParamsOf['streamData'] & StreamParamsOf['streamDataReplay'];

/** Messages of a stream within one credit limit. */
export async function* openStream(
  settings: Settings,
  id: StreamId,
  params: StreamParamsOf[StreamId],
  options: StreamOptions,
  ask: Pick<Send, 'rows'>,
): AsyncGenerator<StreamMessage, void, undefined> {
  const { symbols: wanted, channels: names, conflateMs, resumeFrom = null, ...further } = params as AnyParams;
  const symbols = [...new Set([wanted ?? DEFAULT_SYMBOL].flat())];
  const hold = holdFor(null, options.maxCredits ?? settings.maxCreditsPerCall, settings.budget);
  const allowance = createAllowance(hold.maxCredits ?? 0);
  const ended = new AbortController();
  const follow = (): void => ended.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', follow, { once: true });
  if (options.signal?.aborted === true) follow();

  const { signal } = ended;
  const channels = names?.join(',');
  const backfills: Readonly<Partial<Record<StreamId, Following['backfill']>>> = {
    streamPackets: (symbol, first) => packetsBefore(ask, symbol, further.view, first, { signal }),
    streamData: (symbol, first) => rowsBefore(ask, symbol, channels, first, { signal }),
  };

  try {
    yield* followStream(settings, {
      id,
      symbols,
      query: {
        ...further,
        symbol: symbols.join(','),
        ...(channels === undefined ? {} : { channels }),
        ...(conflateMs === undefined ? {} : { conflate_ms: conflateMs }),
      },
      resumeFrom,
      silenceMs: options.silenceMs ?? SILENCE_MS,
      onConnection: options.onConnection ?? (() => undefined),
      signal,
      allowance,
      backfill: backfills[id],
    });
  } finally {
    options.signal?.removeEventListener('abort', follow);
    ended.abort();
    hold.settle(allowance.spent());
  }
}
