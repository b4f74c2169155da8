import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { account, IDEMPOTENT } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { type ClientCalls, createClient, type RpcIdentity } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';

export const DEMO_TENANT = 'demo';

const planId = 'public_pro';
const deadlineMs = 20_000;
const againMs = 300;

/**
 * Returns the key in `file` if the account service accepts it; otherwise creates one.
 * @throws the service's error; UNAVAILABLE or DEADLINE_EXCEEDED without an answer within 20 s
 */
export async function obtainKey(address: string, identity: RpcIdentity, file: string): Promise<string> {
  const to = { address, peer: identity.to('account'), deadlineMs };
  const keys = createClient({ ...to, definition: account.KeyServiceService, idempotent: IDEMPOTENT });
  const operator = createClient({ ...to, definition: account.OperatorServiceService, idempotent: IDEMPOTENT });
  try {
    await untilThere(() => operator.call.ensureTenant({ name: DEMO_TENANT, planId, renewal: account.Renewal.DAILY }));
    const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (kept !== '' && (await verifies(keys.call, kept))) return kept;
    const { key } = await issue(keys.call);
    writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return key;
  } finally {
    await Promise.all([keys.close(), operator.close()]);
  }
}

async function untilThere<T>(call: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'UNAVAILABLE' || performance.now() > endMs) throw error;
      await delay(againMs);
    }
  }
}

type KeyCalls = ClientCalls<account.KeyServiceService>;

async function verifies(keys: KeyCalls, key: string): Promise<boolean> {
  const keyDigest = createHash('sha256').update(key).digest();
  const { grant } = await keys.verifyKey({ keyDigest });
  return grant !== undefined;
}

function issue(keys: KeyCalls): Promise<account.IssueKeyResponse> {
  const scopes = [account.Scope.READ, account.Scope.EXPORT, account.Scope.AUTOMATION, account.Scope.ACCOUNT];
  return keys.issueKey({ tenantName: DEMO_TENANT, kind: account.KeyKind.LIVE, scopes, expiresTsMs: 0 });
}
