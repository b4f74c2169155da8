import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import type { System } from '@market-state/launcher';

const { KeyKind, Renewal, Scope } = account;

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
export async function keyOfNewTenant(system: Pick<System, 'dataDir' | 'rpc'>, planId = 'public_pro'): Promise<string> {
  const tenantName = `tenant-${randomBytes(6).toString('hex')}`;
  const operator = operatorOf(system);
  const keys = createClient({
    definition: account.KeyServiceService,
    peer: system.rpc.identityOf('operator').to('account'),
    address: accountAddressOf(system),
  });
  try {
    await operator.call.ensureTenant({ name: tenantName, planId, renewal: Renewal.MONTHLY });
    const { key } = await keys.call.issueKey({
      tenantName,
      kind: KeyKind.LIVE,
      scopes: [Scope.READ, Scope.EXPORT, Scope.AUTOMATION, Scope.ACCOUNT],
      expiresTsMs: 0,
    });
    return key;
  } finally {
    await Promise.all([operator.close(), keys.close()]);
  }
}
