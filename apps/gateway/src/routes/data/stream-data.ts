import { readChannelList } from '../../streams/channel-list';
import { readLastEventId } from '../../streams/last-event-id';
import { type LiveSourceDeps, openLiveSource } from '../../streams/live-source';
import type { OpenStreams } from '../../streams/open-streams';
import type { Handler } from '../../serving/handlers/handler';

export function streamData(streams: Pick<OpenStreams, 'admit'>, deps: LiveSourceDeps): Handler<'streamData'> {
  return ({ input, grant }) => {
    const after = readLastEventId(input.headers['last-event-id']);
    const channels = readChannelList(input.query.channels);
    return streams.admit(grant, 'live', () => openLiveSource(deps, input.query.symbol, channels, after));
  };
}
