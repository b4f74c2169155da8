import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/balances';
import { toProtoCeiling } from '../ceiling';
import { keyIdFaults, toProtoBalance, toProtoKind } from './wire';

/** A tenant's credits, by kind and by grant, and the ceiling of a key. */
export async function getBalances(credits: Credits, { tenantId, keyId }: account.GetBalancesRequest): Promise<account.GetBalancesResponse> {
  refuseFaults([...idFaults('tenant_id', tenantId), ...keyIdFaults(keyId)]);
  const { balances, grants, ceiling } = await ledger.getBalances(credits, { tenantId, keyId: keyId ?? null });
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
    ceiling: toProtoCeiling(ceiling),
  };
}
