import type { webhook } from '@market-state/contracts';
import { resourceExhausted } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { checkDestination, destinationOf } from '../endpoints/destination';
import { descriptionFaults, type Endpoint, type EndpointDeps, eventKindFaults, symbolListFaults } from '../endpoints/endpoint';
import { requireLocked } from '../endpoints/require-endpoint';
import { notifyEvaluators, subscribe } from '../endpoints/subscriptions';
import { newId } from '../ids';
import { countEndpoints, findEndpointOfOperation, insertEndpoint, lockTenantEndpoints, type NewEndpoint } from '../store/endpoints';
import { fromProtoKind, showEndpoint } from './endpoints';

export async function createEndpoint(deps: EndpointDeps, request: webhook.CreateEndpointRequest): Promise<webhook.CreateEndpointResponse> {
  const { tenantId, planId, operationId, description, eventKinds, symbols } = request;
  const kind = fromProtoKind(request.kind);
  const checked = await checkDestination(deps.targets, kind, request, true);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('plan_id', planId),
    idFaults('operation_id', operationId),
    eventKindFaults(eventKinds),
    symbolListFaults(symbols),
    descriptionFaults(description),
    checked.faults,
  );
  const { url = '', chatId = '', digestMinutes = 0, credential } = destinationOf(checked);
  const { endpoint, secret } = await insertWithSecret(
    deps,
    { tenantId, planId, operationId, kind, url, chatId, digestMinutes, description, eventKinds, symbols },
    credential,
  );
  return { endpoint: await showEndpoint(deps, endpoint), secret };
}

type EndpointOrder = Omit<NewEndpoint, 'endpointId' | 'createdMs'>;

/** The signing secret of a webhook is returned only here; empty if an earlier try created the endpoint. */
interface CreatedEndpoint {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/**
 * Creates an endpoint that awaits its test.
 * @throws ServiceError `too_many_endpoints`
 */
async function insertWithSecret(deps: EndpointDeps, order: EndpointOrder, credential: string | undefined): Promise<CreatedEndpoint> {
  const { pool, secrets, clock, logger } = deps;
  const { tenantId, operationId } = order;
  const nowMs = clock();
  const created = await inTransaction(pool, async (client) => {
    await lockTenantEndpoints(client, tenantId);
    const earlier = await findEndpointOfOperation(client, tenantId, operationId);
    if (earlier !== undefined) return { endpoint: earlier, secret: '', secretId: '', isNew: false };
    await refuseTooMany(client, order);
    const endpointId = newId('we');
    await insertEndpoint(client, { ...order, endpointId, createdMs: nowMs });
    const added = order.kind === 'webhook' ? await secrets.add(client, endpointId, nowMs) : { secret: '', secretId: '' };
    if (credential !== undefined) await secrets.replaceCredential(client, endpointId, credential, nowMs);
    const endpoint = await requireLocked(client, tenantId, endpointId);
    await subscribe(client, endpoint);
    await notifyEvaluators(client, endpoint);
    return { endpoint, ...added, isNew: true };
  });
  if (created.isNew) {
    const { endpointId, kind } = created.endpoint;
    logger.info({ tenant_id: tenantId, endpoint_id: endpointId, kind, secret_id: created.secretId }, 'webhook endpoint created');
  }
  return created;
}

async function refuseTooMany(on: Queryable, { tenantId, planId }: EndpointOrder): Promise<void> {
  const most = limitsOf(planId).webhookEndpoints;
  if ((await countEndpoints(on, tenantId)) < most) return;
  throw resourceExhausted('too_many_endpoints', `The plan allows ${most} webhook endpoints, and all are in use. Delete one first.`, {
    metadata: { limit: String(most) },
  });
}
