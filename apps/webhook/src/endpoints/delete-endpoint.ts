import { inTransaction } from '@market-state/postgres';
import { lockTenantEndpoints, removeEndpoint } from '../store/endpoints';
import { endWaiting } from '../store/endpoint-standings';
import type { EndpointDeps } from './endpoint-deps';
import { requireEndpoint, requireLocked } from './require-endpoint';
import { tellEvaluators } from './subscribe';

/** Deletes an endpoint with its secrets; what waits for it is not sent, and its receipts stay. */
export async function deleteEndpoint({ pool, clock, logger }: EndpointDeps, tenantId: string, endpointId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockTenantEndpoints(client, tenantId);
    await tellEvaluators(client, await requireEndpoint(client, tenantId, endpointId));
    await requireLocked(client, tenantId, endpointId);
    await endWaiting(client, endpointId, { status: 'endpoint_deleted', nowMs: clock() });
    await removeEndpoint(client, endpointId);
  });
  logger.info({ tenant_id: tenantId, endpoint_id: endpointId }, 'webhook endpoint deleted');
}
