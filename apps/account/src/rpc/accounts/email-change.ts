import type { account } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { lengthFaults, refuseFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import { emailFaults } from '../../accounts/email';
import * as changes from '../../accounts/email-change';
import { callerOf, checkSessionDigest, readNetwork } from './wire';

const PASSWORD_LENGTH_MAX = 256;
const CODE_LENGTH_MIN = 20;
const CODE_LENGTH_MAX = 512;

export async function requestEmailChange(
  deps: AccountsDeps,
  { sessionDigest, newEmail, currentPassword, address }: account.RequestEmailChangeRequest,
  context: CallContext,
): Promise<account.RequestEmailChangeResponse> {
  checkSessionDigest(sessionDigest);
  const { network, faults } = readNetwork(address);
  refuseFaults([
    ...emailFaults('new_email', newEmail),
    ...lengthFaults('current_password', currentPassword, 1, PASSWORD_LENGTH_MAX),
    ...faults,
  ]);
  const caller = callerOf(network, context);
  const accountId = await changes.requestEmailChange(deps, { sessionDigest, newEmail, password: currentPassword, caller });
  deps.logger.info({ account_id: accountId, address: network }, 'email change requested');
  return { mailToFolder: deps.mailToFolder };
}

export async function confirmEmailChange(
  deps: AccountsDeps,
  { sessionDigest, code, address }: account.ConfirmEmailChangeRequest,
): Promise<account.ConfirmEmailChangeResponse> {
  checkSessionDigest(sessionDigest);
  const { network, faults } = readNetwork(address);
  refuseFaults([...lengthFaults('code', code, CODE_LENGTH_MIN, CODE_LENGTH_MAX), ...faults]);
  const { accountId, email, endedSessions } = await changes.confirmEmailChange(deps, { sessionDigest, code, network });
  deps.logger.info({ account_id: accountId, address: network, ended_sessions: endedSessions }, 'email changed');
  return { email, endedSessionCount: endedSessions };
}
