import type { webhook } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { refuseUnlessLive, requireEndpoint, requireLocked } from '../../endpoints/require-endpoint';
import { refuseBeyondRetention } from '../../endpoints/retention';
import { newId } from '../../ids';
import { ringLanes } from '../../lanes/ring';
import { creditsOf } from '../../messages/credits';
import { listDeliveries } from '../../store/receipts';
import { sendAgain } from '../../store/sent-again';
import { showDelivery } from '../show-receipt';
import { requireMessage } from './require-message';

/** One more attempt of a message, by the way of every message. */
export async function resendMessage(
  deps: EndpointDeps,
  { tenantId, messageId, endpointId }: webhook.ResendMessageRequest,
): Promise<webhook.ResendMessageResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('message_id', messageId), idFaults('endpoint_id', endpointId));
  const { pool, bell, clock, targets } = deps;
  const nowMs = clock();
  const message = await requireMessage(pool, tenantId, messageId);
  const endpoint = await requireEndpoint(pool, tenantId, endpointId);
  refuseUnlessLive(endpoint);
  if (message.data === null) refuseBeyondRetention(Number(message.created_ms), nowMs);
  refuseFaults((await targets.check(endpoint.url)).faults);
  const { rings, delivery } = await inTransaction(pool, async (client) => {
    refuseUnlessLive(await requireLocked(client, tenantId, endpointId));
    const resending = { deliveryId: newId('dlv'), messageId, endpointId, tenantId, eventKind: message.event_kind };
    await sendAgain(client, { ...resending, credits: creditsOf(message.event_kind) }, nowMs);
    const deliveries = await listDeliveries(client, messageId);
    return { rings: await ringLanes(client, [endpointId], nowMs), delivery: deliveries.find((one) => one.endpointId === endpointId) };
  });
  await bell.ring(rings);
  return { delivery: delivery === undefined ? undefined : showDelivery(delivery) };
}
