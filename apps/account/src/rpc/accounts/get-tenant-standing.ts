import type { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { readDisabled } from '../../store/tenants';

export async function getTenantStanding(
  deps: { readonly pool: Queryable },
  { tenantId }: account.GetTenantStandingRequest,
): Promise<account.GetTenantStandingResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const disabled = await readDisabled(deps.pool, tenantId);
  if (disabled === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  return { disabled };
}
