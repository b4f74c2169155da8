import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { createKey } from './create-key';
import { issueKey, issueSandboxKey, type SandboxKeyDeps } from './issue-key';
import { listKeys, revokeKey } from './list-keys';
import { noteKeyUses, verifyKey, type VerifyKeyDeps, watchKeys, type WatchKeysDeps } from './verify-key';
import { rotateKey } from './rotate-key';
import { updateKey } from './update-key';

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
  return bindService(account.KeyServiceService, withDeps(deps, handlers), orUnavailable);
}
