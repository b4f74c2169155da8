import type { Upstreams } from '../../clients/upstreams';
import { createPacketFeedback } from './create-packet-feedback';
import { getLabelStability } from './get-label-stability';
import type { Handler } from '../../serving/handlers/handler';
import { listHistory } from './list-history';
import { replayPackets } from './replay-packets';
import { searchEvents } from './search-events';
import { verifyEvent } from './verify-event';

/** The handlers of reads over many stored packets, and of what is said and proved of one, by operation id. */
export function eventRoutes(upstreams: Upstreams, now: () => number): Readonly<Record<string, Handler>> {
  return {
    replayPackets: replayPackets(upstreams, now),
    listHistory: listHistory(upstreams, now),
    searchEvents: searchEvents(upstreams, now),
    getLabelStability: getLabelStability(upstreams, now),
    createPacketFeedback: createPacketFeedback(upstreams.packets),
    verifyEvent: verifyEvent(upstreams, now),
  };
}
