import { readLastEventId } from '../../streams/position';
import { openPacketStream, type PacketReaderDeps } from '../../streams/packet-stream';
import type { OpenStreams } from '../../streams/open-streams';
import { readSymbolList } from '../../streams/symbol-readers';
import type { Handler } from '../../serving/answers/handler';

export function streamPackets(streams: Pick<OpenStreams, 'admit'>, deps: PacketReaderDeps): Handler<'streamPackets'> {
  return ({ input, grant }) => {
    const after = readLastEventId(input.headers['last-event-id']);
    const { symbol, view } = input.query;
    const wanted = { symbols: symbol === 'ALL' ? null : readSymbolList(symbol), view };
    return streams.admit(grant, 'live', () => openPacketStream(deps, wanted, after));
  };
}
