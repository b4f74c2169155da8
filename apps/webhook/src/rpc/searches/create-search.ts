import type { webhook } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { createSearch } from '../../searches/create-search';
import { nameFaults } from '../name-faults';
import type { SearchDeps } from '../../searches/saved-search';
import { showSearch } from './show-search';

export async function createSavedSearch(
  deps: SearchDeps,
  request: webhook.CreateSavedSearchRequest,
): Promise<webhook.CreateSavedSearchResponse> {
  const { tenantId, planId, operationId, name, query = {} } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('plan_id', planId), idFaults('operation_id', operationId), nameFaults(name));
  return { savedSearch: showSearch(await createSearch(deps, { tenantId, planId, operationId, name, query })) };
}
