import type { Packet } from '@market-state/labeler';
import { compositeView } from '@market-state/packet-views';
import type { Handler } from '../../serving/answers/handler';
import { definitions } from '../../serving/meta/definitions';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export const queueFragilityFields = (packet: Packet) => ({ queue_fragility: compositeView(packet, 'fragility', definitions) });

export function getQueueFragilityLatest(deps: NewestPacketDeps): Handler<'getQueueFragilityLatest'> {
  return readOfNewest(deps, queueFragilityFields);
}
