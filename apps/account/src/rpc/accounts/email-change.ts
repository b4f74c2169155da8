import type { account } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { lengthFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import { emailFaults } from '../../accounts/email';
import * as changes from '../../accounts/email-change';
import { givenPasswordFaults, readSessionCaller } from './wire';

const CODE_LENGTH_MIN = 20;
const CODE_LENGTH_MAX = 512;

export async function requestEmailChange(
  deps: AccountsDeps,
  request: account.RequestEmailChangeRequest,
  context: CallContext,
): Promise<account.RequestEmailChangeResponse> {
  const { sessionDigest, newEmail, currentPassword } = request;
  const faults = [...emailFaults('new_email', newEmail), ...givenPasswordFaults('current_password', currentPassword)];
  const caller = readSessionCaller(request, context, faults);
  const accountId = await changes.requestEmailChange(deps, { sessionDigest, newEmail, password: currentPassword, caller });
  deps.logger.info({ account_id: accountId, address: caller.network }, 'email change requested');
  return { mailToFolder: deps.mailToFolder };
}

export async function confirmEmailChange(
  deps: AccountsDeps,
  request: account.ConfirmEmailChangeRequest,
  context: CallContext,
): Promise<account.ConfirmEmailChangeResponse> {
  const { sessionDigest, code } = request;
  const { network } = readSessionCaller(request, context, lengthFaults('code', code, CODE_LENGTH_MIN, CODE_LENGTH_MAX));
  const { accountId, email, endedSessions } = await changes.confirmEmailChange(deps, { sessionDigest, code, network });
  deps.logger.info({ account_id: accountId, address: network, ended_sessions: endedSessions }, 'email changed');
  return { email, endedSessionCount: endedSessions };
}
