import type { Packet } from '@market-state/labeler';
import { compositeView } from '@market-state/packet-views';
import type { Handler } from '../../serving/answers/handler';
import { definitions } from '../../serving/meta/definitions';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export const forcedFlowFields = (packet: Packet) => ({ forced_flow: compositeView(packet, 'forced_flow', definitions) });

export function getForcedFlowLatest(deps: NewestPacketDeps): Handler<'getForcedFlowLatest'> {
  return readOfNewest(deps, forcedFlowFields);
}
