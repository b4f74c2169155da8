import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import type { System } from '@market-state/launcher';
import { withCloser } from '../with-closer';
import { ALL_SCOPES, openTenants, type TenantOrder } from './tenants';

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
