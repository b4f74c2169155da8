import { account } from '@market-state/contracts';
import { bindService, type BoundService } from '@market-state/grpc';
import type { AttemptLimit } from '../../accounts/limits';
import type { KeyWatch } from '../../keys/key-watch';
import type { LastUsed } from '../../keys/last-used';
import { findKeyByDigest } from '../../store/read-keys';
import { whileAvailable } from '../while-available';
import { createCreateKey } from './create-key';
import { createIssueKey, type KeyMakingDeps } from './issue-key';
import { createIssueSandboxKey } from './issue-sandbox-key';
import { createListKeys } from './list-keys';
import { createRevokeKey } from './revoke-key';
import { createRotateKey } from './rotate-key';
import { createUpdateKey } from './update-key';
import { createVerifyKey } from './verify-key';
import { createWatchKeys } from './watch-keys';

export interface KeyServiceDeps extends KeyMakingDeps {
  readonly lastUsed: LastUsed;
  readonly watch: KeyWatch;
  readonly listener: { catchUp(): Promise<void> };
  readonly limits: { readonly sandboxKey: AttemptLimit };
}

export function bindKeyService(deps: KeyServiceDeps): BoundService {
  const { pool, clock, lastUsed, logger } = deps;
  return bindService(account.KeyServiceService, {
    verifyKey: whileAvailable(
      createVerifyKey({ verify: { findByDigest: (digest) => findKeyByDigest(pool, digest), clock }, lastUsed, logger }),
    ),
    issueKey: whileAvailable(createIssueKey(deps)),
    createKey: whileAvailable(createCreateKey(deps)),
    issueSandboxKey: whileAvailable(createIssueSandboxKey({ ...deps, limit: deps.limits.sandboxKey })),
    listKeys: whileAvailable(createListKeys(deps)),
    updateKey: whileAvailable(createUpdateKey(deps)),
    rotateKey: whileAvailable(createRotateKey(deps)),
    revokeKey: whileAvailable(createRevokeKey(deps)),
    watchKeys: createWatchKeys({ watch: deps.watch, catchUp: () => deps.listener.catchUp(), clock }),
  });
}
