import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import type { System } from '../../src/index';
import { type Answer, createApi, keyHeader } from './api';

export const ACCOUNT = '/api/public/market-state/account';

/** Headers of one credential. */
export type As = Readonly<Record<string, string>>;

/** A browser's or a machine's calls to the account routes. */
export interface AccountApi {
  call(method: string, path: string, body?: unknown, headers?: As): Promise<Answer>;
  get(path: string, headers?: As): Promise<Answer>;
}

/** The session's cookie as a browser sends it back. */
export function cookieOf(answer: Answer): As {
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { cookie };
}

export function withKey(key: string): As {
  return { [keyHeader]: key };
}

export function createAccountApi(system: System): AccountApi {
  const api = createApi(system, '');
  return {
    call: (method, path, body, headers = {}) =>
      api.send(method, path, {
        body: body === undefined ? undefined : JSON.stringify(body),
        headers: { 'content-type': 'application/json', origin: system.url, ...headers },
      }),
    get: (path, headers = {}) => api.get(path, headers),
  };
}

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

const { KeyKind, Renewal, Scope } = account;

/** A key with every scope of a new tenant on `public_pro`, made by the operator: no trial is spent. */
export async function keyOfNewTenant(system: System): Promise<string> {
  const tenantName = `tenant-${randomBytes(6).toString('hex')}`;
  const operator = operatorOf(system);
  const keys = createClient({
    definition: account.KeyServiceService,
    peer: system.rpc.identityOf('operator').to('account'),
    address: accountAddressOf(system),
  });
  try {
    await operator.call.ensureTenant({ name: tenantName, planId: 'public_pro', renewal: Renewal.MONTHLY });
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
