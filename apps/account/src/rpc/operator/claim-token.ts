import type { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { createClaimToken } from '../../accounts/claim-token';
import { idFaults, refuseFaults } from '../fields';
import type { OperatorDeps } from './ensure-tenant';

export function createCreateClaimToken(deps: OperatorDeps) {
  return async function createClaimTokenRpc({ tenantId }: account.CreateClaimTokenRequest): Promise<account.CreateClaimTokenResponse> {
    refuseFaults(idFaults('tenant_id', tenantId));
    const made = await createClaimToken(deps.pool, tenantId, deps);
    if (made === null) throw notFound('unknown_tenant', 'There is no such tenant.');
    deps.logger.info({ tenant_id: tenantId }, 'claim token made');
    return made;
  };
}
