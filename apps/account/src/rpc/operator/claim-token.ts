import type { account } from '@market-state/contracts';
import { makeClaimToken } from '../../operator/claim-token';
import type { OperatorDeps } from './ensure-tenant';

export function createCreateClaimToken(deps: OperatorDeps) {
  return async function createClaimTokenRpc({ tenantId }: account.CreateClaimTokenRequest): Promise<account.CreateClaimTokenResponse> {
    const { claimToken, expiresMs } = await makeClaimToken(deps, tenantId);
    deps.logger.info({ tenant_id: tenantId }, 'claim token made');
    return { claimToken, expiresTsMs: expiresMs };
  };
}
