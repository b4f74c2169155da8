import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/balances';
import { toProtoBalance, toProtoKind } from './wire';

/** A tenant's credits, by kind and by grant. */
export async function getBalances(credits: Credits, { tenantId }: account.GetBalancesRequest): Promise<account.GetBalancesResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const { balances, grants } = await ledger.getBalances(credits, tenantId);
  return {
    balances: balances.map(toProtoBalance),
    grants: grants.map(({ id, source, kind, amount, left, grantedMs, expiresMs }) => ({
      grantId: id,
      source,
      kind: toProtoKind(kind),
      amount,
      left,
      grantedTsMs: grantedMs,
      expiresTsMs: expiresMs ?? 0,
    })),
  };
}
