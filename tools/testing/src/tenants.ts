import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { createClient, type RpcIdentity, type GrpcClient } from '@market-state/grpc';
import { ownInstallation, type System } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { withCloser } from './with-closer';

/** The operator's own interface of the account service. */
export function operatorOf(system: Pick<System, 'dataDir' | 'rpc'>): GrpcClient<account.OperatorServiceService> {
  return createClient({
    definition: account.OperatorServiceService,
    peer: system.rpc.identityOf('operator').to('account'),
    address: accountAddressOf(system),
  });
}

/** Where the account service of a system that is ready takes calls. */
export function accountAddressOf(system: Pick<System, 'dataDir'>): string {
  const endpoints = JSON.parse(readFileSync(join(system.dataDir, 'endpoints.json'), 'utf8')) as Readonly<Record<string, string>>;
  return endpoints['account'] ?? '';
}

/** A key with every scope of a new tenant, made by the operator: no trial is spent. */
export function keyOfNewTenant(system: Pick<System, 'dataDir' | 'rpc'>, planId: TenantOrder['planId'] = 'public_pro'): Promise<string> {
  return withCloser(async (closer) => {
    const tenants = openTenants(closer, accountAddressOf(system), system.rpc.identityOf('operator'));
    return (await tenants.create({ planId, renewal: account.Renewal.MONTHLY, scopes: ALL_SCOPES })).key;
  });
}

const { KeyKind, Renewal, Scope } = account;

/** Long, for a machine that has other work. */
const DEADLINE_MS = 30_000;
/** Reads and manages. */
const SCOPES = [Scope.READ, Scope.ACCOUNT];
export const ALL_SCOPES: readonly account.Scope[] = [...SCOPES, Scope.EXPORT, Scope.AUTOMATION];

/** A tenant with a live key. */
export interface Tenant {
  readonly tenantId: string;
  readonly keyId: string;
  readonly key: string;
}

interface TenantOrder {
  /** By default a name that no other tenant has. */
  readonly name?: string;
  readonly planId: 'trial' | 'public_builder' | 'public_pro' | 'public_research' | 'enterprise';
  /** By default none. */
  readonly renewal?: account.Renewal;
  /** Credits of a plan that has them by contract. */
  readonly marketStateCredits?: number;
  readonly exportCredits?: number;
  /** Of its key; by default `read` and `account`. */
  readonly scopes?: readonly account.Scope[];
}

/** Makes tenants as the operator does. */
export interface Tenants {
  create(order: TenantOrder): Promise<Tenant>;
  /** Up to so many further keys of a tenant, as many as its plan lets it have. */
  furtherKeys(name: string, total: number): Promise<string[]>;
}

/**
 * @param address of the account service
 * @param identity the operator's; by default of this process's installation
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

/** For `catch`: null where the tenant has as many keys as it may; else throws again. */
function ifAtLimit(error: unknown): null {
  if (!isServiceError(error, 'too_many_keys')) throw error;
  return null;
}
