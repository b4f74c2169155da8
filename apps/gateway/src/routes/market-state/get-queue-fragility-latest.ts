import { compositeView } from '@market-state/packet-views';
import { definitions } from '../../serving/policy/definitions';
import type { Handler } from '../../serving/handlers/handler';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export function getQueueFragilityLatest(deps: NewestPacketDeps): Handler<'getQueueFragilityLatest'> {
  return readOfNewest(deps, (packet) => ({ queue_fragility: compositeView(packet, 'fragility', definitions) }));
}
