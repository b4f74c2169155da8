import type { DataHealthWatch } from '../../clients/data-health';
import { type MarketDataClient, servedSymbols, CHANNEL_NAMES, type ChannelName } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { streamManifest } from '../../streams/stream-manifest';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { InvalidRequest } from '../../serving/errors/problem';
import type { FollowRowsDeps } from '../../streams/follow-rows';
import { type LastEventId, positionIn, positionsIn, readLastEventId } from '../../streams/position';
import type { OpenStreams } from '../../streams/open-streams';
import { openReplaySource, type ReplayRequest } from '../../streams/replay-source';
import { streamWindowOf } from '../../streams/replay-window';
import { readSymbolList } from '../../streams/symbol-readers';
import { parseInstant } from '../../serving/meta/instant';
import { type LiveReaderDeps, openLiveStream } from '../../streams/live-stream';

/** Parses a validated comma-separated list; empty means all channels. */
function readChannelList(list: string): ReadonlySet<ChannelName> {
  const requested = new Set(list.split(','));
  return new Set(CHANNEL_NAMES.filter((name) => list === '' || requested.has(name)));
}

export function streamData(streams: Pick<OpenStreams, 'admit'>, deps: LiveReaderDeps): Handler<'streamData'> {
  return ({ input, grant }) => {
    const after = readLastEventId(input.headers['last-event-id']);
    const { symbol, channels, conflate_ms: conflateMs } = input.query;
    const wanted = { symbols: readSymbolList(symbol), channels: readChannelList(channels), conflateMs };
    return streams.admit(grant, 'live', () => openLiveStream(deps, wanted, after));
  };
}

/** A resumed replay needs its original window, because the default window moves. */
function refuseMovingWindow(startMs: number | null, endMs: number | null): void {
  const missing = [...(startMs === null ? ['start'] : []), ...(endMs === null ? ['end'] : [])];
  if (missing.length > 0)
    throw new InvalidRequest(
      missing.map((name) => ({
        loc: ['query', name],
        msg: 'is required with Last-Event-ID: send the value from the plan of the replay',
        type: 'missing',
      })),
    );
}

/**
 * Symbols sorted by name, the order of rows received at the same time, each with its resume position. A symbol missing
 * from the id starts at the beginning.
 */
function readersOf(list: string, id: LastEventId | null): ReplayRequest['symbols'] {
  const symbols = [...readSymbolList(list)].sort();
  const [only, ...further] = symbols;
  if (only !== undefined && further.length === 0) return [{ symbol: only, after: positionIn(id, only) }];
  const positions = positionsIn(id, symbols);
  return symbols.map((symbol) => ({ symbol, after: positions.get(symbol) ?? null }));
}

export function streamDataReplay(streams: Pick<OpenStreams, 'admit'>, deps: FollowRowsDeps): Handler<'streamDataReplay'> {
  return ({ input, grant }) => {
    const { query } = input;
    const id = readLastEventId(input.headers['last-event-id']);
    const symbols = readersOf(query.symbol, id);
    const [startMs, endMs] = [parseInstant(query.start), parseInstant(query.end)];
    if (id !== null) refuseMovingWindow(startMs, endMs);
    const speed = query.speed === 'max' ? 0 : Number(query.speed);
    return streams.admit(grant, 'replay', async () => {
      const clocks = await Promise.all(symbols.map(({ symbol }) => deps.rows.call.getFreshness({ symbol })));
      // Only the span that is recorded for all symbols.
      const feedClockMs = Math.min(...clocks.map((freshness) => freshness.feedClockMs));
      const channels = query.channels === '' ? [] : [...readChannelList(query.channels)];
      const window = streamWindowOf(startMs, endMs, feedClockMs);
      return openReplaySource(deps, { symbols, channels, ...window, asOfMs: parseInstant(query.as_of) ?? 0, speed });
    });
  };
}

/** Constant while the process runs, so computed once on first use. */
let manifestFields: ReturnType<typeof streamManifest> | undefined;

export function getStreamManifest(
  client: MarketDataClient,
  dataHealth: Pick<DataHealthWatch, 'current'>,
  now: () => number,
): Handler<'getStreamManifest'> {
  return async ({ operation, grant }) => {
    const source = serviceSource(await servedSymbols(client), dataHealth, now());
    return jsonRepresentation(dataAnswer({ operation, grant }, source, (manifestFields ??= streamManifest())));
  };
}
