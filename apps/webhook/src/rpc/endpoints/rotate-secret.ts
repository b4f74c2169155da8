import type { webhook } from '@market-state/contracts';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { rotateSecret as rotate } from '../../endpoints/rotate-secret';
import { showEndpoint } from './show-endpoint';

const GRACE_HOURS_MAX = 168;

export async function rotateSecret(deps: EndpointDeps, request: webhook.RotateSecretRequest): Promise<webhook.RotateSecretResponse> {
  const { tenantId, endpointId, graceHours } = request;
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('endpoint_id', endpointId),
    rangeFaults('grace_hours', graceHours, 0, GRACE_HOURS_MAX),
  );
  const { endpoint, secret } = await rotate(deps, tenantId, endpointId, graceHours);
  return { endpoint: await showEndpoint(deps, endpoint), secret };
}
