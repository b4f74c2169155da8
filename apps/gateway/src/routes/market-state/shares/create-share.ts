import type { labeling } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { noSuchEvent, type PacketClient } from '../../../clients/packet-client';
import { accountAnswer } from '../../../serving/answers/account-answer';
import { grantOf } from '../../../serving/handlers/grant-of';
import type { Handler } from '../../../serving/handlers/handler';
import { newOperationId } from '../../../serving/metering/charge';
import { showShare } from './show-share';

export function createShare(packets: PacketClient): Handler<'createShare'> {
  return async (call) => {
    const { tenantId, plan } = grantOf(call);
    const { event_id: eventId, days } = call.input.body;
    const operationId = call.ownTry?.operationId ?? newOperationId();
    const record = showShare((await create(packets, { tenantId, planId: plan.planId, operationId, eventId, days })).share);
    const answer = accountAnswer(call, record, `Whoever has the link sees this packet until ${record.expires_at_utc}.`);
    return { ...answer, headers: { Location: record.routes.packet } };
  };
}

/** @throws ServiceError `unknown_packet` for an event that there is not, malformed ids too */
async function create({ call }: PacketClient, request: labeling.CreateShareRequest): Promise<labeling.CreateShareResponse> {
  try {
    return await call.createShare(request);
  } catch (error) {
    if (isServiceError(error, 'unknown_packet') || (isServiceError(error) && error.faults.some(({ field }) => field === 'event_id')))
      throw noSuchEvent();
    throw error;
  }
}
