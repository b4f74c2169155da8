import type { Packet } from '@market-state/labeler';
import { buyerSummary } from '@market-state/packet-views';
import type { Handler } from '../../serving/answers/handler';
import { definitions } from '../../serving/meta/definitions';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export const buyerSummaryFields = (packet: Packet) => buyerSummary(packet, definitions);

export function getBuyerSummary(deps: NewestPacketDeps): Handler<'getBuyerSummary'> {
  return readOfNewest(deps, buyerSummaryFields);
}
