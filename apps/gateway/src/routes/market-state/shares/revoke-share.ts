import type { PacketClient } from '../../../clients/packet-client';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { showShare } from './show-share';

export function revokeShare({ call: labeling }: PacketClient): Handler<'revokeShare'> {
  return async (call) => {
    const { share } = await labeling.revokeShare({ tenantId: grantOf(call).tenantId, shareId: call.input.path.share_id });
    return accountAnswer(call, showShare(share), 'The packet is no longer shown; what proves it stays at the same address.');
  };
}
