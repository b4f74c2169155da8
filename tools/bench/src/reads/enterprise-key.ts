import { account } from '@market-state/contracts';
import { createClient, type RpcIdentity } from '@market-state/grpc';

/** More than a run can use. */
const CREDITS = 100_000_000;

/** Tenants that are made at once. */
const AT_ONCE = 4;

/** Keys of so many tenants, each of which may make 500 requests a second, made as `identity` through the account service at an address. */
export async function enterpriseKeys(address: string, identity: RpcIdentity, total: number): Promise<readonly string[]> {
  const to = { address, peer: identity.to('account') };
  const operator = createClient({ ...to, definition: account.OperatorServiceService });
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  try {
    const made: string[] = [];
    let next = 0;
    const some = async (): Promise<void> => {
      for (let index = next++; index < total; index = next++) made.push(await keyOf(`bench ${index}`));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    return made;
  } finally {
    await Promise.all([operator.close(), keys.close()]);
  }

  async function keyOf(tenantName: string): Promise<string> {
    await operator.call.ensureTenant({
      name: tenantName,
      planId: 'enterprise',
      renewal: account.Renewal.MONTHLY,
      marketStateCredits: CREDITS,
      exportCredits: 0,
    });
    const scopes = [account.Scope.READ, account.Scope.EXPORT, account.Scope.AUTOMATION, account.Scope.ACCOUNT];
    return (await keys.call.issueKey({ tenantName, kind: account.KeyKind.LIVE, scopes, expiresTsMs: 0 })).key;
  }
}
