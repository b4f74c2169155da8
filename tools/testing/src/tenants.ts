import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { createClient, type RpcIdentity, type GrpcClient } from '@market-state/grpc';
import { ownInstallation, type System } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { withCloser } from './with-closer';

export function operatorOf(system: Pick<System, 'dataDir' | 'rpc'>): GrpcClient<account.OperatorServiceService> {
  return createClient({
    definition: account.OperatorServiceService,
    peer: system.rpc.identityOf('operator').to('account'),
    address: accountAddressOf(system),
  });
}

export function accountAddressOf(system: Pick<System, 'dataDir'>): string {
  const endpoints = JSON.parse(readFileSync(join(system.dataDir, 'endpoints.json'), 'utf8')) as Readonly<Record<string, string>>;
  return endpoints['account'] ?? '';
}

export function keyOfNewTenant(system: Pick<System, 'dataDir' | 'rpc'>, planId: TenantOrder['planId'] = 'public_pro'): Promise<string> {
  return withCloser(async (closer) => {
    const tenants = openTenants(closer, accountAddressOf(system), system.rpc.identityOf('operator'));
    return (await tenants.create({ planId, renewal: account.Renewal.MONTHLY, scopes: ALL_SCOPES })).key;
  });
}

const { KeyKind, Renewal, Scope } = account;

/** Long, for busy machines. */
const DEADLINE_MS = 30_000;
const SCOPES = [Scope.READ, Scope.ACCOUNT];
export const ALL_SCOPES: readonly account.Scope[] = [...SCOPES, Scope.EXPORT, Scope.AUTOMATION];

export interface Tenant {
  readonly tenantId: string;
  readonly keyId: string;
  readonly key: string;
}

interface TenantOrder {
  /** Unique by default. */
  readonly name?: string;
  readonly planId: 'trial' | 'public_builder' | 'public_pro' | 'public_research' | 'enterprise';
  readonly renewal?: account.Renewal;
  readonly marketStateCredits?: number;
  readonly exportCredits?: number;
  /** Scopes of its key; default `read` and `account`. */
  readonly scopes?: readonly account.Scope[];
}

/** Creates tenants as the operator does. */
export interface Tenants {
  create(order: TenantOrder): Promise<Tenant>;
  /** Creates up to this many further keys, as far as the plan allows. */
  furtherKeys(name: string, total: number): Promise<string[]>;
}

/**
 * @param address of the account service
 * @param identity the operator's; default: this process's installation
 */
export function openTenants(
  closer: Closer,
  address: string,
  identity: Pick<RpcIdentity, 'to'> = { to: () => ownInstallation().peer('account') },
): Tenants {
  const to = { address, peer: identity.to('account'), deadlineMs: DEADLINE_MS };
  const operator = createClient({ ...to, definition: account.OperatorServiceService });
  closer.add('operator', () => operator.close());
  const keys = createClient({ ...to, definition: account.KeyServiceService });
  closer.add('keys', () => keys.close());
  const issueKey = (tenantName: string, scopes: readonly account.Scope[]): Promise<account.IssueKeyResponse> =>
    keys.call.issueKey({ tenantName, kind: KeyKind.LIVE, scopes: [...scopes], expiresTsMs: 0 });
  return {
    async create({ name = `tenant-${randomBytes(6).toString('hex')}`, renewal = Renewal.NONE, scopes = SCOPES, ...terms }) {
      await operator.call.ensureTenant({ name, renewal, ...terms });
      const { tenantId, keyId, key } = await issueKey(name, scopes);
      return { tenantId, keyId, key };
    },
    async furtherKeys(name, total) {
      const made: string[] = [];
      while (made.length < total) {
        const issued = await issueKey(name, SCOPES).catch(ifAtLimit);
        if (issued === null) break;
        made.push(issued.key);
      }
      return made;
    },
  };
}

/** For `catch`: returns null if the tenant is at its key limit; rethrows other errors. */
function ifAtLimit(error: unknown): null {
  if (!isServiceError(error, 'too_many_keys')) throw error;
  return null;
}
