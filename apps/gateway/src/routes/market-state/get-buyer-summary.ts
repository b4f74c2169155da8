import { buyerSummary } from '@market-state/packet-views';
import { definitions } from '../../serving/policy/definitions';
import type { Handler } from '../../serving/handlers/handler';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export function getBuyerSummary(deps: NewestPacketDeps): Handler<'getBuyerSummary'> {
  return readOfNewest(deps, (packet) => buyerSummary(packet, definitions));
}
