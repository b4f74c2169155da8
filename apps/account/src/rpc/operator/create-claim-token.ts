import type { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { OperatorDeps } from './ensure-tenant';
import * as accounts from '../../accounts/claim-token';

export async function createClaimToken(
  deps: OperatorDeps,
  { tenantId }: account.CreateClaimTokenRequest,
): Promise<account.CreateClaimTokenResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const made = await accounts.createClaimToken(deps.pool, tenantId, deps);
  if (made === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  deps.logger.info({ tenant_id: tenantId }, 'claim token made');
  return made;
}
