import { account } from '@market-state/contracts';
import { bindService, type BoundService } from '@market-state/grpc';
import type { ClaimDeps } from '../../accounts/claim';
import { whileAvailable } from '../while-available';
import { createClaim } from './claim';
import { createConfirmPasswordReset } from './confirm-password-reset';
import { createGetMe } from './get-me';
import { createLogin } from './login';
import { createLogout } from './logout';
import { createRequestPasswordReset } from './request-password-reset';
import { createSignInRoom } from './sign-in-room';
import { createVerifySession } from './verify-session';

export function bindAccountService(deps: ClaimDeps): BoundService {
  const inRoom = createSignInRoom();
  return bindService(account.AccountServiceService, {
    claim: whileAvailable(inRoom(createClaim(deps))),
    login: whileAvailable(inRoom(createLogin(deps))),
    logout: whileAvailable(createLogout(deps)),
    verifySession: whileAvailable(createVerifySession(deps)),
    requestPasswordReset: whileAvailable(createRequestPasswordReset(deps)),
    confirmPasswordReset: whileAvailable(inRoom(createConfirmPasswordReset(deps))),
    getMe: whileAvailable(createGetMe(deps)),
  });
}
