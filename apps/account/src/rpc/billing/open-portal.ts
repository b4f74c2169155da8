import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { returnAddress } from '../../billing/return-url';
import { overviewOf } from '../../operator/tenants';
import type { BillingDeps } from './create-checkout';

export function createOpenPortal(deps: BillingDeps) {
  return async function openPortalRpc({ tenantId, returnUrl }: account.OpenPortalRequest): Promise<account.OpenPortalResponse> {
    const address = returnAddress(returnUrl, deps.publicBaseUrl, deps.allowedOrigins);
    if (address === null) {
      throw invalidArgument([{ field: 'return_url', message: 'must be empty, a path that begins with one /, or an address on an allowed origin', type: 'malformed' }]);
    }
    await overviewOf(deps.pool, tenantId, deps.clock());
    return { provider: deps.provider.name, portalUrl: await deps.provider.openPortal(tenantId, address) };
  };
}
