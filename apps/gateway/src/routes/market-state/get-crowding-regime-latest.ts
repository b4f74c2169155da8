import { compositeView } from '@market-state/packet-views';
import { definitions } from '../../serving/policy/definitions';
import type { Handler } from '../../serving/handlers/handler';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export function getCrowdingRegimeLatest(deps: NewestPacketDeps): Handler<'getCrowdingRegimeLatest'> {
  return readOfNewest(deps, (packet) => ({
    crowding: compositeView(packet, 'crowding', definitions),
    regime: compositeView(packet, 'regime', definitions),
  }));
}
