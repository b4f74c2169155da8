import type { account } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { refuseFaults, lengthFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import { emailLengthFaults } from '../../accounts/email';
import { requestReset, confirmReset } from '../../accounts/password-reset';
import { readNetwork, callerOf } from './wire';
import { passwordFaults } from '../../accounts/password-rules';
import { toProtoRecord } from '../keys/wire';

const TOKEN_LENGTH_MIN = 20;
const TOKEN_LENGTH_MAX = 512;
/** Password rules that do not depend on the account are checked before the token is read. */
const NO_EMAIL = '';

export async function confirmPasswordReset(
  deps: AccountsDeps,
  request: account.ConfirmPasswordResetRequest,
  context: CallContext,
): Promise<account.ConfirmPasswordResetResponse> {
  const { resetToken, newPassword } = request;
  const { network, faults } = readNetwork(request.address);
  refuseFaults([
    ...lengthFaults('reset_token', resetToken, TOKEN_LENGTH_MIN, TOKEN_LENGTH_MAX),
    ...passwordFaults('new_password', newPassword, NO_EMAIL),
    ...faults,
  ]);
  const { accountId, endedSessions, revokedKeys, closedEmails, movedToTenantId } = await confirmReset(deps, {
    resetToken,
    newPassword,
    caller: callerOf(network, context),
  });
  const revoked = revokedKeys.map(({ id }) => id);
  deps.logger.info(
    {
      account_id: accountId,
      address: network,
      ended_sessions: endedSessions,
      revoked_keys: revoked,
      closed_accounts: closedEmails.length,
      moved_to_tenant_id: movedToTenantId,
    },
    'password reset',
  );
  return {
    revokedKeys: revokedKeys.map(toProtoRecord),
    endedSessionCount: endedSessions,
    closedAccountEmails: [...closedEmails],
    movedToTenantId: movedToTenantId ?? '',
  };
}

export async function requestPasswordReset(
  deps: AccountsDeps,
  { email, address }: account.RequestPasswordResetRequest,
): Promise<account.RequestPasswordResetResponse> {
  const { network, faults } = readNetwork(address);
  refuseFaults([...emailLengthFaults('email', email), ...faults]);
  await requestReset(deps, email, network);
  return { mailToFolder: deps.mailToFolder };
}
