import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import * as operator from '../../operator/tenants';
import type { OperatorDeps } from './ensure-tenant';
import { toProtoTenant } from './wire';

/** Ends or restores every key and session of a tenant. */
export async function setTenantDisabled(
  deps: OperatorDeps,
  { tenantId, disabled }: account.SetTenantDisabledRequest,
): Promise<account.SetTenantDisabledResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const tenant = await operator.setTenantDisabled(deps, tenantId, disabled);
  deps.logger.info({ tenant_id: tenantId, disabled }, 'tenant disabled or enabled');
  return { tenant: toProtoTenant(tenant) };
}
