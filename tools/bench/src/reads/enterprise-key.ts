import { account } from '@market-state/contracts';
import { createClient, type RpcIdentity } from '@market-state/grpc';

const TENANT = 'bench';
/** More than a run can use. */
const CREDITS = 100_000_000;

/** A key of a tenant whose plan allows 500 requests a second, made as `identity` through the account service at an address. */
export async function enterpriseKey(address: string, identity: RpcIdentity): Promise<string> {
  const to = { address, peer: identity.to('account') };
  const operator = createClient({ ...to, definition: account.OperatorServiceService });
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  try {
    await operator.call.ensureTenant({ name: TENANT, planId: 'enterprise', renewal: account.Renewal.MONTHLY, marketStateCredits: CREDITS, exportCredits: 0 });
    const scopes = [account.Scope.READ, account.Scope.EXPORT, account.Scope.AUTOMATION, account.Scope.ACCOUNT];
    return (await keys.call.issueKey({ tenantName: TENANT, kind: account.KeyKind.LIVE, scopes, expiresTsMs: 0 })).key;
  } finally {
    await Promise.all([operator.close(), keys.close()]);
  }
}
