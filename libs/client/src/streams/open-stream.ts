import { holdFor } from '../call/budget';
import type { Settings } from '../call/settings';
import type { Send } from '../send';
import { createAllowance } from './allowance';
import { packetsBefore } from './backfill';
import { followStream, type Following } from './follow';
import { merge } from './merge';
import type { StreamId, StreamMessage, StreamOptions, StreamParamsOf } from './types';

const SILENCE_MS = 30_000;
const DEFAULT_SYMBOL = 'BTCUSD-PERP';

/** Any of the parameters of streams. */
type AnyParams = StreamParamsOf['streamPackets'] & StreamParamsOf['streamData'] & StreamParamsOf['streamDataReplay'];

/** The messages of one or several symbols, within one bound of credits. */
export async function* openStream(
  settings: Settings,
  id: StreamId,
  params: StreamParamsOf[StreamId],
  options: StreamOptions,
  ask: Pick<Send, 'rows'>,
): AsyncGenerator<StreamMessage, void, undefined> {
  const { symbols: wanted, channels, resumeFrom, ...further } = params as AnyParams;
  const symbols = [...new Set([wanted ?? DEFAULT_SYMBOL].flat())];
  const hold = holdFor(null, options.maxCredits ?? settings.maxCreditsPerCall, settings.budget);
  const allowance = createAllowance(hold.maxCredits ?? 0);
  const ended = new AbortController();
  const follow = (): void => ended.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', follow, { once: true });
  if (options.signal?.aborted === true) follow();

  const followingOf = (symbol: string): Following => ({
    id,
    symbol,
    query: { ...further, symbol, ...(channels === undefined ? {} : { channels: [...channels].join(',') }) },
    resumeFrom: (typeof resumeFrom === 'object' ? resumeFrom[symbol] : resumeFrom) ?? null,
    silenceMs: options.silenceMs ?? SILENCE_MS,
    signal: ended.signal,
    allowance,
    ...(id === 'streamPackets' ? { backfill: (first) => packetsBefore(ask, symbol, further.view, first, { signal: ended.signal }) } : {}),
  });

  try {
    yield* merge(symbols.map((symbol) => followStream(settings, followingOf(symbol))));
  } finally {
    options.signal?.removeEventListener('abort', follow);
    ended.abort();
    hold.settle(allowance.spent());
  }
}
