import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { requireEndpoint } from '../../endpoints/require-endpoint';
import { showEndpoint } from './show-endpoint';

export async function getEndpoint(deps: EndpointDeps, request: webhook.GetEndpointRequest): Promise<webhook.GetEndpointResponse> {
  const { tenantId, endpointId } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  return { endpoint: await showEndpoint(deps, await requireEndpoint(deps.pool, tenantId, endpointId)) };
}
