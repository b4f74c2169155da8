import { InvalidRequest } from '../../serving/errors/fault-item';
import { type ReplayWindow, windowOf } from './replay/replay-window';
import { readChannelList } from '../../streams/channel-list';
import type { FollowRowsDeps } from '../../streams/follow-rows';
import { positionIn, readLastEventId } from '../../streams/last-event-id';
import { STREAM_LIMITS } from '../../streams/limits';
import type { OpenStreams } from '../../streams/open-streams';
import { openReplaySource } from '../../streams/replay-source';
import { parseInstant } from '../../serving/validation/instant';
import type { Handler } from '../../serving/handlers/handler';

/** As the window of replay/window, but a start alone reaches a day. */
function streamWindowOf(startMs: number | null, endMs: number | null, feedClockMs: number): ReplayWindow {
  if (startMs === null || endMs !== null || startMs >= feedClockMs) return windowOf(startMs, endMs, feedClockMs);
  return { startMs, endMs: Math.min(startMs + STREAM_LIMITS.replayMs, feedClockMs) };
}

/** A replay is gone on with by the window that it began with, and the default window moves. */
function refuseMovingWindow(startMs: number | null, endMs: number | null): void {
  const missing = [...(startMs === null ? ['start'] : []), ...(endMs === null ? ['end'] : [])];
  if (missing.length > 0)
    throw new InvalidRequest(
      missing.map((name) => ({
        loc: ['query', name],
        msg: 'must be given with Last-Event-ID, as the plan of the replay names it',
        type: 'missing',
      })),
    );
}

export function streamDataReplay(streams: Pick<OpenStreams, 'admit'>, deps: FollowRowsDeps): Handler<'streamDataReplay'> {
  return ({ input, grant }) => {
    const { query } = input;
    const after = positionIn(readLastEventId(input.headers['last-event-id']), query.symbol);
    const [startMs, endMs] = [parseInstant(query.start), parseInstant(query.end)];
    if (after !== null) refuseMovingWindow(startMs, endMs);
    const { symbol } = query;
    const speed = query.speed === 'max' ? 0 : Number(query.speed);
    return streams.admit(grant, 'replay', async () => {
      const { feedClockMs } = await deps.rows.call.getFreshness({ symbol });
      const channels = query.channels === '' ? [] : [...readChannelList(query.channels)];
      return openReplaySource(deps, {
        symbol,
        channels,
        ...streamWindowOf(startMs, endMs, feedClockMs),
        asOfMs: parseInstant(query.as_of) ?? 0,
        speed,
        after,
      });
    });
  };
}
