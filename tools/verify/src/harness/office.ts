import { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { createClient, type RpcIdentity } from '@market-state/grpc';
import type { Closer } from '@market-state/lifecycle';

/** A tenant with a key of it. */
export interface Tenant {
  readonly tenantId: string;
  readonly key: string;
}

/** What the operator does for a suite: its deadlines are long, for a machine that has other work. */
export interface Office {
  /** A tenant with a plan, and with so many credits where the plan has its credits by contract; its key reads and manages. */
  tenant(
    name: string,
    planId: 'trial' | 'public_builder' | 'public_pro' | 'public_research' | 'enterprise',
    marketStateCredits?: number,
  ): Promise<Tenant>;
  /** Up to so many further keys of a tenant, as many as its plan lets it have. */
  furtherKeys(name: string, total: number): Promise<string[]>;
}

const DEADLINE = { deadlineMs: 30_000 };

/** @param address of the account service */
export function openOffice(closer: Closer, address: string, identity: Pick<RpcIdentity, 'to'>): Office {
  const to = { address, peer: identity.to('account') };
  const operator = createClient({ ...to, definition: account.OperatorServiceService });
  closer.add('operator', () => operator.close());
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  closer.add('keys', () => keys.close());
  return {
    async tenant(name, planId, marketStateCredits) {
      await operator.call.ensureTenant({ name, planId, renewal: account.Renewal.NONE, marketStateCredits }, DEADLINE);
      const { tenantId, key } = await keys.call.issueKey(keyOf(name), DEADLINE);
      return { tenantId, key };
    },
    async furtherKeys(name, total) {
      const made: string[] = [];
      while (made.length < total) {
        const issued = await keys.call.issueKey(keyOf(name), DEADLINE).catch(ifAtLimit);
        if (issued === null) break;
        made.push(issued.key);
      }
      return made;
    },
  };
}

function keyOf(tenantName: string): account.IssueKeyRequest {
  return { tenantName, kind: account.KeyKind.LIVE, scopes: [account.Scope.READ, account.Scope.ACCOUNT], expiresTsMs: 0 };
}

/** For `catch`: null where the tenant has as many keys as it may; else throws again. */
function ifAtLimit(error: unknown): null {
  if (!isServiceError(error, 'too_many_keys')) throw error;
  return null;
}
