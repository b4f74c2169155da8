import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { deleteEndpoint as remove } from '../../endpoints/delete-endpoint';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { requireEndpoint } from '../../endpoints/require-endpoint';
import { showEndpoint } from './show-endpoint';

export async function deleteEndpoint(deps: EndpointDeps, request: webhook.DeleteEndpointRequest): Promise<webhook.DeleteEndpointResponse> {
  const { tenantId, endpointId } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  const endpoint = await showEndpoint(deps, await requireEndpoint(deps.pool, tenantId, endpointId));
  await remove(deps, tenantId, endpointId);
  return { endpoint };
}
