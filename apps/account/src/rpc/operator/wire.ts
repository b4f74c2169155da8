import { account } from '@market-state/contracts';
import type { Renewal } from '../../credits';
import type { TenantOverview } from '../../store/tenant-overviews';

const RENEWAL_TO_PROTO = {
  none: account.Renewal.NONE,
  daily: account.Renewal.DAILY,
  monthly: account.Renewal.MONTHLY,
} as const satisfies Record<Renewal, account.Renewal>;

/** The renewal, or undefined for the unspecified one. */
export function fromProtoRenewal(renewal: account.Renewal): Renewal | undefined {
  return (['none', 'daily', 'monthly'] as const).find((word) => RENEWAL_TO_PROTO[word] === renewal);
}

export function toProtoTenant(tenant: TenantOverview): account.OperatorTenant {
  return {
    tenantId: tenant.tenantId,
    name: tenant.name,
    planId: tenant.planId ?? '',
    renewal: RENEWAL_TO_PROTO[tenant.renewal],
    disabled: tenant.isDisabled,
    createdTsMs: tenant.createdMs,
    marketStateAvailable: tenant.marketStateAvailable,
    exportAvailable: tenant.exportAvailable,
  };
}
