import { readChannelList } from '../../streams/channel-list';
import { readLastEventId } from '../../streams/position';
import type { LiveReaderDeps } from '../../streams/live-reader';
import { openLiveStream } from '../../streams/open-live-stream';
import type { OpenStreams } from '../../streams/open-streams';
import { readSymbolList } from '../../streams/symbol-list';
import type { Handler } from '../../serving/answers/handler';

export function streamData(streams: Pick<OpenStreams, 'admit'>, deps: LiveReaderDeps): Handler<'streamData'> {
  return ({ input, grant }) => {
    const after = readLastEventId(input.headers['last-event-id']);
    const { symbol, channels, conflate_ms: conflateMs } = input.query;
    const wanted = { symbols: readSymbolList(symbol), channels: readChannelList(channels), conflateMs };
    return streams.admit(grant, 'live', () => openLiveStream(deps, wanted, after));
  };
}
