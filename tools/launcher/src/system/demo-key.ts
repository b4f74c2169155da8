import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { account } from '@market-state/contracts';
import { credentials } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import { DEMO_TENANT } from './demo-tenant';

const planId = 'public_pro';
const deadlineMs = 20_000;

/**
 * The key kept in `file` when the account service at `address` still accepts it; otherwise a new one, which is then kept
 * there for its owner alone to read. Its tenant has a plan whose credits are given anew each day.
 * @throws the service's error; UNAVAILABLE or DEADLINE_EXCEEDED when it does not answer in 20 s
 */
export async function obtainKey(address: string, file: string): Promise<string> {
  const keys = new account.KeyServiceClient(address, credentials.createInsecure());
  const operator = new account.OperatorServiceClient(address, credentials.createInsecure());
  try {
    await asPromise<void>((done) => keys.waitForReady(Date.now() + deadlineMs, done as (error?: Error) => void));
    await ensureTenant(operator);
    const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (kept !== '' && (await verifies(keys, kept))) return kept;
    const { key } = await issue(keys);
    writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return key;
  } finally {
    keys.close();
    operator.close();
  }
}

function ensureTenant(operator: account.OperatorServiceClient): Promise<account.EnsureTenantResponse> {
  const request = { name: DEMO_TENANT, planId, renewal: account.Renewal.DAILY };
  return asPromise<account.EnsureTenantResponse>((done) => operator.ensureTenant(request, done));
}

async function verifies(client: account.KeyServiceClient, key: string): Promise<boolean> {
  const keyDigest = createHash('sha256').update(key).digest();
  const { grant } = await asPromise<account.VerifyKeyResponse>((done) => client.verifyKey({ keyDigest }, done));
  return grant !== undefined;
}

function issue(client: account.KeyServiceClient): Promise<account.IssueKeyResponse> {
  const scopes = [account.Scope.READ, account.Scope.EXPORT, account.Scope.AUTOMATION, account.Scope.ACCOUNT];
  const request = { tenantName: DEMO_TENANT, kind: account.KeyKind.LIVE, scopes, expiresTsMs: 0 };
  return asPromise<account.IssueKeyResponse>((done) => client.issueKey(request, done));
}

function asPromise<T>(call: (done: (error: ServiceError | null, value: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}
