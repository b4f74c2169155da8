import { resourceExhausted } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import { newId } from '../ids';
import { countEndpoints, findEndpointOfOperation, insertEndpoint, lockTenantEndpoints, type NewEndpoint } from '../store/endpoints';
import type { Endpoint } from './endpoint';
import type { EndpointDeps } from './endpoint-deps';
import { requireLocked } from './require-endpoint';
import { subscribe, tellEvaluators } from './subscribe';

/** An endpoint that is ordered. */
export type EndpointOrder = Omit<NewEndpoint, 'endpointId' | 'createdMs'>;

/** An endpoint with its first secret, which is given this once; without one where the same call made it before. */
export interface CreatedEndpoint {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/**
 * Makes an endpoint that waits for its test.
 * @throws ServiceError RESOURCE_EXHAUSTED `too_many_endpoints`
 */
export async function createEndpoint(deps: EndpointDeps, order: EndpointOrder): Promise<CreatedEndpoint> {
  const { pool, secrets, clock, logger } = deps;
  const { tenantId, operationId } = order;
  const nowMs = clock();
  const created = await inTransaction(pool, async (client) => {
    await lockTenantEndpoints(client, tenantId);
    const earlier = await findEndpointOfOperation(client, tenantId, operationId);
    if (earlier !== undefined) return { endpoint: earlier, secret: '' };
    await refuseTooMany(client, order);
    const endpointId = newId('we');
    await insertEndpoint(client, { ...order, endpointId, createdMs: nowMs });
    const { secret, secretId } = await secrets.add(client, endpointId, nowMs);
    const endpoint = await requireLocked(client, tenantId, endpointId);
    await subscribe(client, endpoint);
    await tellEvaluators(client, endpoint);
    return { endpoint, secret, secretId };
  });
  if (created.secret !== '') {
    const { endpointId } = created.endpoint;
    logger.info({ tenant_id: tenantId, endpoint_id: endpointId, secret_id: created.secretId }, 'webhook endpoint created');
  }
  return created;
}

async function refuseTooMany(on: Queryable, { tenantId, planId }: EndpointOrder): Promise<void> {
  const most = limitsOf(planId).webhookEndpoints;
  if ((await countEndpoints(on, tenantId)) < most) return;
  throw resourceExhausted('too_many_endpoints', `The plan allows ${most} webhook endpoints, and all are in use: delete one first.`, {
    metadata: { limit: String(most) },
  });
}
