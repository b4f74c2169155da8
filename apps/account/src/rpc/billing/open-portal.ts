import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import { returnAddress } from '../../billing/return-url';
import { overviewOf } from '../../operator/tenants';
import type { BillingDeps } from './create-checkout';

export async function openPortal(
  deps: BillingDeps,
  { tenantId, returnUrl }: account.OpenPortalRequest,
): Promise<account.OpenPortalResponse> {
  const address = returnAddress(returnUrl, deps.publicBaseUrl, deps.allowedOrigins);
  const faults: Fault[] = [
    ...idFaults('tenant_id', tenantId),
    ...(address === null
      ? [
          {
            field: 'return_url',
            message: 'must be empty, a path that begins with one /, or an address on an allowed origin',
            type: 'malformed',
          },
        ]
      : []),
  ];
  if (faults.length > 0 || address === null) throw invalidArgument(faults);
  await overviewOf(deps.pool, tenantId, deps.clock());
  return { provider: deps.provider.name, portalUrl: await deps.provider.openPortal(tenantId, address) };
}
