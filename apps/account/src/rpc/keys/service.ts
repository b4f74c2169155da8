import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '@market-state/postgres';
import { createKey, listKeys, revokeKey, updateKey, rotateKey } from './keys';
import { issueKey, issueSandboxKey, type SandboxKeyDeps } from './issue-key';
import { noteKeyUses, verifyKey, type VerifyKeyDeps, watchKeys, type WatchKeysDeps } from './verify-key';

type KeyServiceDeps = SandboxKeyDeps & VerifyKeyDeps & WatchKeysDeps;

export function bindKeyService(deps: KeyServiceDeps): BoundService {
  const handlers = {
    verifyKey,
    noteKeyUses,
    issueKey,
    createKey,
    issueSandboxKey,
    listKeys,
    updateKey,
    rotateKey,
    revokeKey,
    watchKeys,
  };
  return bindService(account.KeyServiceService, withDeps(deps, handlers), orUnavailable('account'));
}
