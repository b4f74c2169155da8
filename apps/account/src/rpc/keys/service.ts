import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { createKey } from './create-key';
import { issueKey } from './issue-key';
import { issueSandboxKey, type SandboxKeyDeps } from './issue-sandbox-key';
import { listKeys } from './list-keys';
import { noteKeyUses } from './note-key-uses';
import { revokeKey } from './revoke-key';
import { rotateKey } from './rotate-key';
import { updateKey } from './update-key';
import { verifyKey, type VerifyKeyDeps } from './verify-key';
import { watchKeys, type WatchKeysDeps } from './watch-keys';

export type KeyServiceDeps = SandboxKeyDeps & VerifyKeyDeps & WatchKeysDeps;

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
