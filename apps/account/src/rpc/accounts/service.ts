import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { ClaimDeps } from '../../accounts/claim';
import { emailDigest } from '../../accounts/email';
import { isKnownAddress } from '../../accounts/known-address';
import { networkOf } from '../../accounts/network';
import { findReset } from '../../accounts/reset-token';
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
    login: inRoom(hashing.login, ({ email, address }) => {
      const network = networkOf(address);
      return network === null ? Promise.resolve(false) : isKnownAddress(deps.pool, emailDigest(email), network, deps.clock());
    }),
    confirmPasswordReset: inRoom(
      hashing.confirmPasswordReset,
      async ({ resetToken }) => (await findReset(deps.pool, resetToken, deps.clock())) !== null,
    ),
  };
  return bindService(account.AccountServiceService, handlers, orUnavailable);
}
