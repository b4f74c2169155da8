import { readLastEventId } from '../../streams/last-event-id';
import type { OpenStreams } from '../../streams/open-streams';
import { openPacketSource, type PacketSourceDeps } from '../../streams/packet-source';
import type { Handler } from '../../serving/handlers/handler';

export function streamPackets(streams: Pick<OpenStreams, 'admit'>, deps: PacketSourceDeps): Handler<'streamPackets'> {
  return ({ input, grant }) => {
    const after = readLastEventId(input.headers['last-event-id']);
    return streams.admit(grant, 'live', () => openPacketSource(deps, input.query, after));
  };
}
