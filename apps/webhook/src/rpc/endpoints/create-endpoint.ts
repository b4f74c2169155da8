import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { createEndpoint as create } from '../../endpoints/create-endpoint';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { descriptionFaults, eventKindFaults, symbolListFaults } from '../../endpoints/faults';
import { urlOf } from '../../endpoints/target-check';
import { showEndpoint } from './show-endpoint';

export async function createEndpoint(deps: EndpointDeps, request: webhook.CreateEndpointRequest): Promise<webhook.CreateEndpointResponse> {
  const { tenantId, planId, operationId, url, description, eventKinds, symbols } = request;
  const target = await deps.targets.check(url);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('plan_id', planId),
    idFaults('operation_id', operationId),
    eventKindFaults(eventKinds),
    symbolListFaults(symbols),
    descriptionFaults(description),
    target.faults,
  );
  const { endpoint, secret } = await create(deps, { tenantId, planId, operationId, url: urlOf(target), description, eventKinds, symbols });
  return { endpoint: await showEndpoint(deps, endpoint), secret };
}
