import type { webhook } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { requireEndpoint } from '../../endpoints/require-endpoint';
import { testEndpoint as test } from '../../endpoints/test-endpoint';
import { showReceipt } from '../show-receipt';
import { showEndpoint } from './show-endpoint';

export async function testEndpoint(
  deps: EndpointDeps,
  { tenantId, endpointId }: webhook.TestEndpointRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<webhook.TestEndpointResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  const { url } = await requireEndpoint(deps.pool, tenantId, endpointId);
  refuseFaults((await deps.targets.check(url)).faults);
  const { endpoint, messageId, receipt } = await test(deps, tenantId, endpointId, signal);
  return {
    endpoint: await showEndpoint(deps, endpoint),
    messageId,
    attempt: receipt === undefined ? undefined : showReceipt(receipt),
  };
}
