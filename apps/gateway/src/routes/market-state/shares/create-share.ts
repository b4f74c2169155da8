import { aboutEvent, type PacketClient } from '../../../clients/packet-client';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../../serving/answers/handler';
import { newOperationId } from '../../../serving/metering/meter';
import { showShare } from './show-share';

export function createShare(packets: PacketClient): Handler<'createShare'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { event_id: eventId, days } = call.input.body;
    const operationId = call.ownTry?.operationId ?? newOperationId();
    const asked = { tenantId, planId: plan.planId, operationId, eventId, days };
    const { share } = await aboutEvent(packets.call.createShare(asked));
    const record = showShare(share);
    const answer = accountAnswer(call, record, `Whoever has the link sees this packet until ${record.expires_at_utc}.`);
    return { ...answer, headers: { Location: record.routes.packet } };
  };
}
