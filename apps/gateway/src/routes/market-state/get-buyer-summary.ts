import type { Packet } from '@market-state/labeler';
import { buyerSummary } from '@market-state/packet-views';
import type { Handler } from '../../serving/handlers/handler';
import { definitions } from '../../serving/policy/definitions';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export const buyerSummaryFields = (packet: Packet) => buyerSummary(packet, definitions);

export function getBuyerSummary(deps: NewestPacketDeps): Handler<'getBuyerSummary'> {
  return readOfNewest(deps, buyerSummaryFields);
}
