import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { enableEndpoint as enable } from '../../endpoints/update-endpoint';
import { showEndpoint } from './show-endpoint';

export async function enableEndpoint(
  deps: EndpointDeps,
  { tenantId, endpointId }: webhook.EnableEndpointRequest,
): Promise<webhook.EnableEndpointResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  return { endpoint: await showEndpoint(deps, await enable(deps, tenantId, endpointId)) };
}
