import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { ClaimDeps } from '../../accounts/claim';
import { orUnavailable } from '../database-error';
import { claim } from './claim';
import { confirmPasswordReset } from './confirm-password-reset';
import { getMe } from './get-me';
import { getTenantStanding } from './get-tenant-standing';
import { login } from './login';
import { logout } from './logout';
import { requestPasswordReset } from './request-password-reset';
import { createSignInRoom } from './sign-in-room';
import { verifySession } from './verify-session';

export function bindAccountService(deps: ClaimDeps): BoundService {
  const inRoom = createSignInRoom();
  const hashing = withDeps(deps, { claim, login, confirmPasswordReset });
  const handlers = {
    ...withDeps(deps, { logout, verifySession, requestPasswordReset, getMe, getTenantStanding }),
    claim: inRoom(hashing.claim),
    login: inRoom(hashing.login),
    confirmPasswordReset: inRoom(hashing.confirmPasswordReset),
  };
  return bindService(account.AccountServiceService, handlers, orUnavailable);
}
