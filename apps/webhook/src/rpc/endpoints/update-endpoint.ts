import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { descriptionFaults, eventKindFaults, symbolListFaults } from '../../endpoints/faults';
import { requireEndpoint } from '../../endpoints/require-endpoint';
import { urlOf } from '../../endpoints/target-check';
import { updateEndpoint as update } from '../../endpoints/update-endpoint';
import { showEndpoint } from './show-endpoint';

export async function updateEndpoint(deps: EndpointDeps, request: webhook.UpdateEndpointRequest): Promise<webhook.UpdateEndpointResponse> {
  const { tenantId, endpointId, url, description, eventKinds, symbols, disabled } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  await requireEndpoint(deps.pool, tenantId, endpointId);
  const target = url === undefined ? undefined : await deps.targets.check(url);
  refuseFaults(
    eventKindFaults(eventKinds, 0),
    symbols === undefined ? [] : symbolListFaults(symbols.symbols),
    description === undefined ? [] : descriptionFaults(description),
    target?.faults ?? [],
  );
  const endpoint = await update(deps, tenantId, endpointId, {
    url: target === undefined ? undefined : urlOf(target),
    description,
    eventKinds: eventKinds.length === 0 ? undefined : eventKinds,
    symbols: symbols?.symbols,
    disabled,
  });
  return { endpoint: await showEndpoint(deps, endpoint) };
}
