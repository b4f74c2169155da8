import { compositeView } from '@market-state/packet-views';
import { definitions } from '../../serving/policy/definitions';
import type { Handler } from '../../serving/handlers/handler';
import { type NewestPacketDeps, readOfNewest } from './views/read-of-newest';

export function getForcedFlowLatest(deps: NewestPacketDeps): Handler<'getForcedFlowLatest'> {
  return readOfNewest(deps, (packet) => ({ forced_flow: compositeView(packet, 'forced_flow', definitions) }));
}
