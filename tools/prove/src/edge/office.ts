import { account } from '@market-state/contracts';
import { createClient, type RpcIdentity } from '@market-state/grpc';

/** A tenant with a key of it. */
export interface EdgeTenant {
  readonly tenantId: string;
  readonly key: string;
}

/** What the operator does for a proof: its deadlines are long, for a machine that has other work. */
export interface Office {
  /** A tenant with a plan, and with so many credits where the plan has its credits by contract; its key reads and manages. */
  tenant(name: string, planId: 'public_builder' | 'public_pro' | 'public_research' | 'enterprise', marketStateCredits?: number): Promise<EdgeTenant>;
  close(): Promise<void>;
}

const DEADLINE = { deadlineMs: 30_000 };

export function createOffice(address: string, identity: RpcIdentity): Office {
  const to = { address, peer: identity.to('account') };
  const operator = createClient({ ...to, definition: account.OperatorServiceService });
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  return {
    async tenant(name, planId, marketStateCredits) {
      await operator.call.ensureTenant({ name, planId, renewal: account.Renewal.NONE, marketStateCredits }, DEADLINE);
      const order = { tenantName: name, kind: account.KeyKind.LIVE, scopes: [account.Scope.READ, account.Scope.ACCOUNT], expiresTsMs: 0 };
      const { tenantId, key } = await keys.call.issueKey(order, DEADLINE);
      return { tenantId, key };
    },
    async close() {
      await operator.close();
      await keys.close();
    },
  };
}
