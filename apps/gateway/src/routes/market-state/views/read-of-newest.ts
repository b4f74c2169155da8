import type { Packet } from '@market-state/labeler';
import { derivedRead } from '@market-state/packet-views';
import type { Upstreams } from '../../../clients/upstreams';
import { jsonRepresentation } from '../../../serving/http/representation';
import type { LatestSource } from '../../../boards/latest-source';
import { parseInstant } from '../../../serving/validation/instant';
import { definitions } from '../../../serving/policy/definitions';
import { eventLinks } from './event-links';
import { packetAnswer } from '../../../serving/answers/packet-answer';
import { readNewestPacket } from '../../../clients/packets/read-packet';
import type { Call } from '../../../serving/handlers/handler';

/** What reads of the newest packet are made with. */
export interface NewestPacketDeps {
  readonly upstreams: Upstreams;
  readonly latest: Pick<LatestSource, 'newest'>;
  /** Clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** A read of the newest packet of a symbol, or of that at `as_of`. `scores` gives what the route is about. */
export function readOfNewest<Scores extends object>({ upstreams, latest, now }: NewestPacketDeps, scores: (packet: Packet) => Scores) {
  return async ({ operation, grant, input }: Call<'getForcedFlowLatest'>) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const held = await readNewestPacket(upstreams, latest, input.query.symbol, asOfMs);
    const { packet } = held;
    const subject = { held, isEvent: false, asOfMs, speaksToMs: held.windowEndMs, nowMs: now() };
    return jsonRepresentation(
      packetAnswer({ operation, grant }, subject, { ...scores(packet), ...derivedRead(packet, definitions), links: eventLinks(packet) }),
    );
  };
}
