import type { webhook } from '@market-state/contracts';
import { invalidArgument, type ServiceError } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { idFaults, lengthFaults, refuseFaults } from '@market-state/request-checks';
import { disabledDraft } from '../delivery/update-health';
import { isSameCode, readUnsubscribeToken, WRONG_CODES_MAX } from '../destinations/email-consent';
import type { EndpointDeps } from '../endpoints/endpoint';
import { requireEndpoint, requireLocked, unknownEndpoint } from '../endpoints/require-endpoint';
import { notifyEvaluators } from '../endpoints/subscriptions';
import { recordMessages } from '../messages/record-messages';
import { clearConfirmed, readConfirmation, setConfirmed, writeConfirmation } from '../store/confirmations';
import { endWaiting } from '../store/endpoint-health';
import { findTenantOfEndpoint, lockTenantEndpoints, setStatus } from '../store/endpoints';
import { takePositions } from '../store/messages';
import { showEndpoint } from './endpoints';
import { refuseDisabled } from './test-endpoint';

const CODE_LENGTH_MAX = 20;

/** Makes the endpoint live. Confirming it again changes nothing. */
export async function confirmEndpoint(
  deps: EndpointDeps,
  request: webhook.ConfirmEndpointRequest,
): Promise<webhook.ConfirmEndpointResponse> {
  const { tenantId, endpointId, code } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId), lengthFaults('code', code, 1, CODE_LENGTH_MAX));
  // A wrong code is counted, so its transaction must commit.
  const refusal = await inTransaction(deps.pool, async (client): Promise<ServiceError | undefined> => {
    // Lock order: rules before queues.
    await lockTenantEndpoints(client, tenantId);
    await notifyEvaluators(client, await requireEndpoint(client, tenantId, endpointId));
    const endpoint = await requireLocked(client, tenantId, endpointId);
    if (endpoint.kind !== 'email') return codeFault('only emails are confirmed by a code', 'unsupported');
    if (endpoint.confirmedMs !== null) return undefined;
    refuseDisabled(endpoint);
    const awaited = await readConfirmation(client, endpointId);
    const nowMs = deps.clock();
    if (awaited === null || awaited.expiresMs <= nowMs || awaited.wrong >= WRONG_CODES_MAX) return codeExpired();
    const expected = deps.secrets.open(awaited.sealed, endpointId);
    if (expected === undefined) return codeExpired();
    if (!isSameCode(code, expected)) {
      await writeConfirmation(client, endpoint, { ...awaited, wrong: awaited.wrong + 1 });
      return codeFault('is not the code of the last mail', 'wrong_code');
    }
    await setConfirmed(client, endpointId, nowMs);
    await setStatus(client, endpointId, { status: 'live', disabledReason: '' }, nowMs);
    deps.logger.info({ tenant_id: tenantId, endpoint_id: endpointId }, 'email endpoint confirmed');
    return undefined;
  });
  if (refusal !== undefined) throw refusal;
  return { endpoint: await showEndpoint(deps, await requireEndpoint(deps.pool, tenantId, endpointId)) };
}

function codeExpired(): ServiceError {
  return codeFault('has expired: send a test to mail a new one', 'expired');
}

function codeFault(message: string, type: string): ServiceError {
  return invalidArgument([{ field: 'code', message, type }]);
}

/**
 * Disables the endpoint, which must be confirmed again after it is enabled. No effect if it was deleted, has another
 * address, or is already unsubscribed.
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
