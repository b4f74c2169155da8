import { holdFor } from '../call/budget';
import type { Settings } from '../call/settings';
import type { Send } from '../send';
import { createAllowance } from './allowance';
import { packetsBefore, rowsBefore } from './backfill';
import { type Following, followStream } from './follow';
import type { StreamId, StreamMessage, StreamOptions, StreamParamsOf } from './types';

const SILENCE_MS = 30_000;
const DEFAULT_SYMBOL = 'BTCUSD-PERP';

/** Any of the parameters of streams. */
type AnyParams = StreamParamsOf['streamPackets'] & StreamParamsOf['streamData'] & StreamParamsOf['streamDataReplay'];

/** The messages of a stream, within one bound of credits. */
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
