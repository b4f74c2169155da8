import type { webhook } from '@market-state/contracts';
import { inTransaction } from '@market-state/postgres';
import { disabledDraft } from '../delivery/update-health';
import { readUnsubscribeToken } from '../destinations/unsubscribe';
import type { EndpointDeps } from '../endpoints/endpoint';
import { requireEndpoint, requireLocked, unknownEndpoint } from '../endpoints/require-endpoint';
import { notifyEvaluators } from '../endpoints/subscriptions';
import { recordMessages } from '../messages/record-messages';
import { endWaiting } from '../store/endpoint-health';
import { clearConfirmed } from '../store/confirmations';
import { findTenantOfEndpoint, lockTenantEndpoints, setStatus } from '../store/endpoints';
import { takePositions } from '../store/messages';

/**
 * The recipient of an email wants no more mails: disables the endpoint, which must be confirmed again after it is
 * enabled. Has no effect if the endpoint was deleted, has another address, or is already unsubscribed.
 * @throws ServiceError `unknown_endpoint` for a token that this service did not sign
 */
export async function unsubscribeEndpoint(
  deps: EndpointDeps,
  { token }: webhook.UnsubscribeEndpointRequest,
): Promise<webhook.UnsubscribeEndpointResponse> {
  const { pool, notifier, clock, logger, sealingKeys } = deps;
  const subscription = readUnsubscribeToken(sealingKeys, token);
  if (subscription === undefined) throw unknownEndpoint();
  const { endpointId, urlRevision } = subscription;
  const tenantId = await findTenantOfEndpoint(pool, endpointId);
  if (tenantId === undefined) return {};
  const wakeUps = await inTransaction(pool, async (client) => {
    // Lock order: message positions, rules, queues.
    await takePositions(client, new Map([[tenantId, 0]]));
    await lockTenantEndpoints(client, tenantId);
    await notifyEvaluators(client, await requireEndpoint(client, tenantId, endpointId));
    const endpoint = await requireLocked(client, tenantId, endpointId);
    if (endpoint.kind !== 'email' || endpoint.urlRevision !== urlRevision || endpoint.confirmedMs === null) return [];
    const nowMs = clock();
    await clearConfirmed(client, endpointId);
    await setStatus(client, endpointId, { status: 'disabled', disabledReason: 'unsubscribed' }, nowMs);
    await endWaiting(client, endpointId, { status: 'endpoint_disabled', nowMs });
    logger.info({ tenant_id: tenantId, endpoint_id: endpointId, disabled_reason: 'unsubscribed' }, 'webhook endpoint disabled');
    return (await recordMessages(client, [disabledDraft(endpoint, 'unsubscribed', nowMs)], nowMs)).wakeUps;
  });
  await notifier.notify(wakeUps);
  return {};
}
