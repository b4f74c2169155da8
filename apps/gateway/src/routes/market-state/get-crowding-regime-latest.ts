import type { Packet } from '@market-state/labeler';
import { compositeView } from '@market-state/packet-views';
import type { Handler } from '../../serving/answers/handler';
import { definitions } from '../../serving/meta/definitions';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export const crowdingRegimeFields = (packet: Packet) => ({
  crowding: compositeView(packet, 'crowding', definitions),
  regime: compositeView(packet, 'regime', definitions),
});

export function getCrowdingRegimeLatest(deps: NewestPacketDeps): Handler<'getCrowdingRegimeLatest'> {
  return readOfNewest(deps, crowdingRegimeFields);
}
