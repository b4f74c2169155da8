import { account } from '@market-state/contracts';
import type { System } from '@market-state/launcher';
import { ALL_SCOPES, openTenants, withCloser } from '@market-state/testing';

/** More than a run can use. */
const CREDITS = 100_000_000;
/** Tenants that are made at once. */
const AT_ONCE = 4;

/** Keys of so many tenants, each of which may make 500 requests a second. */
export function enterpriseKeys({ processes, rpc }: System, total: number): Promise<readonly string[]> {
  return withCloser(async (closer) => {
    const tenants = openTenants(closer, `127.0.0.1:${processes.portsOf('account').grpc}`, rpc.identityOf('operator'));
    const terms = { planId: 'enterprise', renewal: account.Renewal.MONTHLY, marketStateCredits: CREDITS, scopes: ALL_SCOPES } as const;
    const made: string[] = [];
    let next = 0;
    const some = async (): Promise<void> => {
      for (let index = next++; index < total; index = next++) made.push((await tenants.create({ name: `bench ${index}`, ...terms })).key);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    return made;
  });
}
